// Runs in a network of its own, where everything is this machine: who is called, of the addresses that a manifest names?
import { createServer } from "node:http";
import { startSimulator } from "../../dist/index.js";

const calls = [];
const server = createServer((request, response) => {
  calls.push(`${request.socket.localAddress?.replace("::ffff:", "")} ${request.method} ${request.url}`);
  response.setHeader("content-type", "application/json");
  response.end('{"success":true}');
});
await new Promise((resolve) => server.listen(80, "::", resolve));

const manifests = new Map();
const own = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  const manifest = manifests.get(request.url);
  if (manifest === undefined) calls.push(`own ${request.method} ${request.url}`);
  response.end(JSON.stringify(manifest ?? { success: true }));
});
await new Promise((resolve) => own.listen(3000, "127.0.0.1", resolve));

/** What an action does with a guard and a webhook at an address, which the user has allowed: its outcome, and who was called. */
async function tried(host, act) {
  const origin = `http://${host}`;
  const guard = { key: "guard", name: "Guard", url: `${origin}/guard`, options: { type: "direct" } };
  const webhook = { key: "hook", url: `${origin}/hook`, events: ["project.translated"] };
  manifests.set("/manifest.json", { modules: { "auth-guard": [guard], webhook: [webhook] } });
  return outcomeOf({ url: "http://127.0.0.1:3000", fileOrigins: [new URL(origin).origin] }, act);
}

async function outcomeOf(app, act) {
  calls.length = 0;
  let sim;
  try {
    sim = await startSimulator({ app, listen: false });
    const { outcome, hint } = await act(sim);
    return { outcome, hint, calls: [...calls] };
  } catch (error) {
    return { outcome: error.code, hint: JSON.stringify(error.problems ?? error.message), calls: [...calls] };
  } finally {
    await sim?.close();
  }
}

const login = (sim) => sim.guard();
const { hosts } = JSON.parse(process.argv[2]);
const results = { never: {} };
for (const host of hosts) results.never[host] = await tried(host, login);
results.asApp = await outcomeOf({ url: "http://metadata.example" }, login);
results.asManifest = await outcomeOf({ url: "http://127.0.0.1:3000", manifest: "http://metadata.example/m" }, login);
results.publicRight = await tried("public.example", login);
results.unresolved = await tried("nobody.example", login);
for (const [name, act] of Object.entries({
  tamper: (sim) => sim.webhook("project.translated", { tamper: "all" }),
  verify: (sim) => sim.verify({ only: ["guard.token.missing"] }),
})) {
  results[name] = {
    module: await tried("public.example", act),
    app: await outcomeOf({ url: "http://public.example", manifest: "http://127.0.0.1:3000/manifest.json" }, act),
  };
}
process.stdout.write(JSON.stringify(results));
process.exit();
