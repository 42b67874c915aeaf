import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { startSimulator } from "../dist/index.js";
import { writeJob } from "./import-job.mjs";
import { freePort, startSampleApp } from "./processes.mjs";

// What an import by URL costs beyond the least that it can: to download its strings and parse each line.

const COUNT = 200_000;

const directory = mkdtempSync(path.join(tmpdir(), "app-sim-bench-"));
const port = await freePort();
const simulator = await startSimulator({ app: { url: `http://127.0.0.1:${port}` } });
const app = await startSampleApp(port, simulator.url);
try {
  const { job, strings } = await writeJob(directory, COUNT);
  const least = await perSecond(() => downloadAndParse(strings));
  const whole = await perSecond(async () => {
    const { jobs } = await simulator.postImport([job], { via: "url" });
    return jobs[0]?.received.strings;
  });
  process.stdout.write(
    [
      `download and JSON.parse of each line   ${rate(least)} strings a second`,
      `import by URL, the app's work with it  ${rate(whole)} strings a second`,
      `ratio ${(least / whole).toFixed(1)}`,
      "",
    ].join("\n"),
  );
} finally {
  await app.close();
  await simulator.close();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Strings a second, the second time: the first one warms up.
 * @param {() => Promise<number | undefined>} run
 */
async function perSecond(run) {
  await run();
  const began = performance.now();
  const count = await run();
  if (count !== COUNT) throw new Error(`${count} strings came, not ${COUNT}`);
  return COUNT / ((performance.now() - began) / 1000);
}

/** @param {string} file */
async function downloadAndParse(file) {
  const server = createServer((_request, response) => createReadStream(file).pipe(response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const { body } = await fetch(`http://127.0.0.1:${port}`);
  if (body === null) throw new Error("no body");
  let count = 0;
  for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
    JSON.parse(line);
    count++;
  }
  server.close();
  return count;
}

/** @param {number} perSecond */
function rate(perSecond) {
  return Math.round(perSecond).toLocaleString("en-US").padStart(9);
}
