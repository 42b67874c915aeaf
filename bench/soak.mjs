import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./median.mjs";
import { freePort, startSampleApp } from "./processes.mjs";

// An hour of `app-sim serve`, by its clock, and a load by real time: logins, OAuth flows, imports and deliveries, round
// by round, as commands beside it ask for them. Its memory has to be flat, no socket may be left, the journal has to
// keep its size, and answers must not become slower. `soak.mjs 100` makes that many rounds in this hour; `soak.mjs
// --minutes 60` goes on for so long by real time, with a load after every fifty rounds, and leaves the clock alone
// (in much less than ten minutes the journal in memory does not fill, so that the heap still grows).

const { values, positionals } = parseArgs({ options: { minutes: { type: "string" } }, allowPositionals: true });
const ROUNDS = values.minutes === undefined ? Number(positionals[0] ?? 900) : Number.POSITIVE_INFINITY;
const UNTIL =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;
if (Number.isNaN(ROUNDS + UNTIL)) throw new RangeError("soak.mjs takes a number of rounds, or --minutes and a number");
const ROUND = ROUNDS === Number.POSITIVE_INFINITY ? null : `${Math.ceil(3_600_000 / ROUNDS)}ms`;
const ROUNDS_PER_LOAD = 50;
/** Of the heap, per round of four flows. */
const MOST_BYTES = 20_000;
/** How much slower the last rounds may be than the first ones. */
const MOST_RATIO = 2;
const MOST_JOURNAL_BYTES = 300_000_000;

const journal = mkdtempSync(join(tmpdir(), "app-sim-soak-"));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const appPort = await freePort();
const app = await startSampleApp(appPort, url);
const serve = await startServe();
/** @type {string[]} */
const faults = [];
try {
  // After a round, because the app keeps its connection to the platform.
  await oneRound();
  const { sockets: socketsBefore } = await serve.report();
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const heaps = [];
  for (let round = 0; round < ROUNDS && performance.now() < UNTIL; round += 1) {
    const began = performance.now();
    await oneRound();
    times.push(performance.now() - began);
    if (ROUND !== null) await post("/-/clock", { advance: ROUND });
    else if (round % ROUNDS_PER_LOAD === ROUNDS_PER_LOAD - 1) await oneLoad();
    if (round % 10 === 9) heaps.push((await serve.report()).heap);
  }
  await oneLoad();
  // The journal keeps 10,000 records in memory, those of some 550 rounds: only a full one can be flat.
  const full = heaps.slice(Math.floor((2 * heaps.length) / 3));
  const perRound = ((full.at(-1) ?? 0) - (full[0] ?? 0)) / Math.max(1, (full.length - 1) * 10);
  const third = Math.floor(times.length / 3);
  const ratio = median(times.slice(-third)) / median(times.slice(third, 2 * third));
  const files = ["journal.ndjson", "journal.1.ndjson"].map((name) => join(journal, name));
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  expect("heap per round", perRound, MOST_BYTES, "bytes");
  expect("the last rounds took, of the ones before", ratio, MOST_RATIO, "times");
  expect("journal", bytes, MOST_JOURNAL_BYTES, "bytes");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect("sockets left", Math.max(0, (await serve.report()).sockets - socketsBefore), 0, "sockets");
} finally {
  await serve.close();
  await app.close();
  rmSync(journal, { recursive: true, force: true });
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function oneLoad() {
  const { outcome, reason } = await act("load", "project.translated", { count: 20_000, concurrency: 20 });
  if (outcome !== "ok") faults.push(`the load was ${outcome}: ${reason}`);
}

/** A login, an OAuth flow, an import and deliveries, each of which has to end well. */
async function oneRound() {
  const login = await act("guard", { modules: ["network"] });
  if (login.outcome !== "granted") throw new Error(`a login was ${login.outcome}: ${login.reason}`);
  const flow = await act("oauthLogin", { start: "/login", forge: false, refresh: false });
  if (flow.outcome !== "ok") throw new Error(`an OAuth flow was ${flow.outcome}: ${flow.reason}`);
  const [job] = (await act("postImport", "fixtures/jobs/greetings.json")).jobs;
  if (job?.outcome !== "imported") throw new Error(`an import was ${job?.outcome}: ${job?.error}`);
  const webhook = await act("webhook", "project.translated", { count: 20, batch: 5 });
  if (webhook.outcome !== "acknowledged") throw new Error(`a delivery was ${webhook.outcome}: ${webhook.reason}`);
}

/** Starts `app-sim serve` in a process that tells of its heap and its sockets. */
async function startServe() {
  const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
  const args = ["serve", "--port", String(port), "--journal", journal, "--app", app.url, "--consent", "approve"];
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--import", here("report-heap.mjs"), here("../bin/app-sim.js"), ...args],
    {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: { ...process.env, APP_SIM_REDIRECT_URI: `${app.url}/oauth/callback` },
    },
  );
  const pipe = child.stdio[3];
  if (!(pipe instanceof Readable)) throw new Error("no pipe");
  const lines = createInterface({ input: pipe })[Symbol.asyncIterator]();
  while (!existsSync(announcement())) {
    if (child.exitCode !== null) throw new Error(`app-sim serve ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    async report() {
      child.kill("SIGUSR2");
      const { value } = await lines.next();
      const [heap = 0, sockets = 0] = String(value).split(" ").map(Number);
      return { heap, sockets };
    },
    async close() {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

function announcement() {
  return join(journal, `serve-${port}.json`);
}

/**
 * @param {string} path
 * @param {unknown} body
 */
async function post(path, body) {
  const { controlToken } = JSON.parse(readFileSync(announcement(), "utf8"));
  // Without an agent, no connection stays open.
  const asked = request(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
    agent: false,
  });
  asked.end(JSON.stringify(body));
  const [answer] = await once(asked, "response");
  const said = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${said}`);
  return said;
}

/**
 * Runs an action as a command beside `serve` does, and returns its result.
 * @param {string} name
 * @param {...unknown} args
 */
async function act(name, ...args) {
  const body = { given: { value: {}, origins: {} }, cwd: process.cwd(), args };
  const frames = (await post(`/-/actions/${name}`, body)).trim().split("\n");
  const last = JSON.parse(frames.at(-1) ?? "{}");
  if (last.result === undefined) throw new Error(`${name} failed: ${JSON.stringify(last)}`);
  return last.result;
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
