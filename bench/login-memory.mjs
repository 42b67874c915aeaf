import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startSimulator } from "../dist/index.js";

// Whether logins leave no memory behind: the heap after many logins at once, and after as many again.

/** Enough for the journal, which keeps 10,000 records, to be full after the first round. */
const LOGINS = 3_500;
const AT_A_TIME = 100;
/** Of the heap, per login; one connection alone takes ten times as much. */
const MOST_BYTES = 1_500;
const CODE = "c0de";

const manifest = {
  modules: {
    "auth-guard": [{ key: "page", name: "page", url: "/guard", options: { type: "redirect", url: "/page" } }],
  },
};
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.method === "GET") return response.end(JSON.stringify(manifest));
  const { code } = JSON.parse(await text(request));
  return response.end(JSON.stringify({ success: code === CODE }));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const sim = await startSimulator({ app: { url: `http://127.0.0.1:${port}` } });
try {
  const before = await heapAfterLogins();
  const after = await heapAfterLogins();
  const bytes = Math.round((after - before) / LOGINS);
  process.stdout.write(`heap per login that is over: ${bytes} bytes, at most ${MOST_BYTES}\n`);
  process.exitCode = bytes > MOST_BYTES ? 1 : 0;
} finally {
  await sim.close();
  server.close();
  server.closeAllConnections();
}

/** Logs in, and measures the heap that is left in use. */
async function heapAfterLogins() {
  for (let done = 0; done < LOGINS; done += AT_A_TIME) {
    const logins = Array.from({ length: AT_A_TIME }, () => sim.guard({ mfa: true, page: { code: CODE } }));
    for (const { outcome } of await Promise.all(logins)) {
      if (outcome !== "granted") throw new Error(`a login was ${outcome}`);
    }
  }
  let least = Number.POSITIVE_INFINITY;
  // What one collection frees may let the next one free more.
  for (let round = 0; round < 12; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}
