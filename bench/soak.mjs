import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startSimulator } from "../dist/index.js";
import { startSampleApp } from "../examples/sample-app/app.js";
import { median } from "./median.mjs";

// An hour of a platform that keeps running, by its clock, and a load by real time: logins, OAuth flows, imports and
// deliveries, round by round. Memory has to be flat, no socket may be left, the journal has to keep its size, and
// answers must not become slower.

const ROUNDS = Number(process.argv[2] ?? 720);
const ROUND = `${Math.ceil(3_600_000 / ROUNDS)}ms`;
/** Of the heap, per round of four flows. */
const MOST_BYTES = 20_000;
/** How much slower the last rounds may be than the first ones. */
const MOST_RATIO = 2;
const MOST_JOURNAL_BYTES = 300_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const journal = mkdtempSync(join(tmpdir(), "app-sim-soak-"));
const port = await freePort();
const app = await startSampleApp({
  port: 0,
  authUrl: `http://127.0.0.1:${port}`,
  clientId: "app-sim-client",
  clientSecret: "app-sim-client-secret",
  appSecret: "app-sim-app-secret",
});
const sim = await startSimulator({
  app: { url: app.url, redirectUris: [`${app.url}/oauth/callback`] },
  port,
  journal,
  oauth: { consent: "approve" },
});
/** @type {string[]} */
const faults = [];
try {
  const socketsBefore = sockets();
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const heaps = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await oneRound();
    times.push(performance.now() - began);
    sim.clock.advance(ROUND);
    if (round % 10 === 9) heaps.push(heap());
  }
  const { outcome, reason } = await sim.load("project.translated", { count: 20_000, concurrency: 20 });
  if (outcome !== "ok") faults.push(`the load was ${outcome}: ${reason}`);
  // The journal keeps 10,000 records in memory, those of some 330 rounds: only a full one can be flat.
  const half = heaps.slice(Math.floor(heaps.length / 2));
  const perRound = ((half.at(-1) ?? 0) - (half[0] ?? 0)) / Math.max(1, (half.length - 1) * 10);
  const third = Math.floor(ROUNDS / 3);
  const ratio = median(times.slice(-third)) / median(times.slice(third, 2 * third));
  const files = ["journal.ndjson", "journal.1.ndjson"].map((name) => join(journal, name));
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  expect("heap per round", perRound, MOST_BYTES, "bytes");
  expect("the last rounds took, of the ones before", ratio, MOST_RATIO, "times");
  expect("journal", bytes, MOST_JOURNAL_BYTES, "bytes");
  await sim.close();
  await app.close();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect("sockets left", Math.max(0, sockets() - socketsBefore), 0, "sockets");
} finally {
  await sim.close();
  rmSync(journal, { recursive: true, force: true });
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** A login, an OAuth flow, an import and deliveries, each of which has to end well. */
async function oneRound() {
  const login = await sim.guard({ modules: ["network"] });
  if (login.outcome !== "granted") throw new Error(`a login was ${login.outcome}: ${login.reason}`);
  const flow = await sim.oauthLogin({ start: "/login", forge: false, refresh: false });
  if (flow.outcome !== "ok") throw new Error(`an OAuth flow was ${flow.outcome}: ${flow.reason}`);
  const [job] = (await sim.postImport("fixtures/jobs/greetings.json")).jobs;
  if (job?.outcome !== "imported") throw new Error(`an import was ${job?.outcome}: ${job?.error}`);
  const webhook = await sim.webhook("project.translated", { count: 20, batch: 5 });
  if (webhook.outcome !== "acknowledged") throw new Error(`a delivery was ${webhook.outcome}: ${webhook.reason}`);
}

/**
 * @param {string} what
 * @param {number} value
 * @param {number} most
 * @param {string} unit
 */
function expect(what, value, most, unit) {
  const line = `${what}: ${Math.round(value * 100) / 100} ${unit}, at most ${most}`;
  process.stdout.write(`${line}\n`);
  if (!(value <= most)) faults.push(line);
}

function heap() {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

function sockets() {
  return process.getActiveResourcesInfo().filter((name) => /TCP(Socket|Server|Wrap)/.test(name)).length;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
