import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

// What a large journal costs where little of it is shown, and what a report costs as its imports or verifications grow
// in number: as ratios to a small journal and to half of them, in pairs, so that both see the same load of the machine.

const PAIRS = 5;
const LINE_BYTES = 2000;

const program = fileURLToPath(new URL("../bin/app-sim.js", import.meta.url));
const cwd = mkdtempSync(path.join(tmpdir(), "app-sim-large-"));
try {
  const calls = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => guardCall(index));
  const large = await journalOf("large", calls(60_000_000 / LINE_BYTES));
  const small = await journalOf("small", calls(200));
  const recent = ["--since", time(0)];
  await compare("log last of 60 MB", ["log", "last"], large, small, 3);
  await compare("log --since of 60 MB", ["log", ...recent], large, await journalOf("smaller", calls(20)), 4);
  await compare("log --grep of a text, to a pattern", ["log", "--grep", "nowhere"], large, large, 0.9, [
    "log",
    "--grep",
    "nowhe[r]e",
  ]);
  const half = await journalOf("half", calls(30_000_000 / LINE_BYTES));
  await compare("report as HAR of 60 MB", ["report", "--out", "report.har"], large, half, 2.5);
  const imports = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => importByUrl(index)).flat();
  const report = ["report", "--out", "report.html"];
  await compare(
    "report of 800 imports",
    report,
    await journalOf("800", imports(800)),
    await journalOf("400", imports(400)),
    2.5,
  );
  const verified = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => failedRun(index)).flat();
  await compare(
    "report of 800 failed verifications",
    ["report", "--out", "report.md"],
    await journalOf("800v", verified(800)),
    await journalOf("400v", verified(400)),
    2.5,
  );
} finally {
  rmSync(cwd, { recursive: true });
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} directory
 * @param {string} base
 * @param {number} limit
 * @param {readonly string[]} baseArgs what is run on the base
 */
async function compare(name, args, directory, base, limit, baseArgs = args) {
  const ratios = [];
  for (let pair = 0; pair < PAIRS; pair += 1)
    ratios.push((await timeOf(args, directory)) / (await timeOf(baseArgs, base)));
  const ratio = median(ratios);
  process.stdout.write(
    `${name}: ${ratio.toFixed(2)} × of the smaller one (at most ${limit})${ratio <= limit ? "" : "  TOO SLOW"}\n`,
  );
}

/**
 * @param {readonly string[]} args
 * @param {string} directory of the journal
 */
async function timeOf(args, directory) {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args, "--journal", directory], { cwd, stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`app-sim ${args[0]} ended with ${code}`);
  return performance.now() - started;
}

/**
 * @param {string} name
 * @param {readonly object[]} records
 */
async function journalOf(name, records) {
  const directory = path.join(cwd, name);
  const lines = [{ type: "journal", version: 1 }, ...records].map((record) => `${JSON.stringify(record)}\n`);
  await mkdir(directory);
  await writeFile(path.join(directory, "journal.ndjson"), lines.join(""));
  return directory;
}

/** @param {number} index */
function guardCall(index) {
  const padded = "a word and the next ".repeat(LINE_BYTES / 40);
  return exchange(`call${index}`, "guard", {
    sent: {},
    came: JSON.stringify({ success: true, padded }),
    at: index - 1e6,
  });
}

/** @param {number} index */
function importByUrl(index) {
  const line = (/** @type {string} */ text) => JSON.stringify({ uniqId: "1", identifier: "a", text: text.repeat(20) });
  const url = `http://127.0.0.1:7410/files/${index}.ndjson`;
  const answer = JSON.stringify({ data: { strings: [JSON.parse(line("after "))] } });
  return [
    exchange(`job${index}`, "post-import", { sent: { stringsUrl: url }, came: answer, at: index }),
    exchange(`file${index}`, "file", { url, sent: {}, came: line("before "), at: index }),
  ];
}

/**
 * A verification with one finding, and what it sent.
 * @param {number} index
 */
function failedRun(index) {
  const id = `run${index}`;
  const at = index * 60;
  const deliveries = Array.from({ length: 20 }, (_, call) => {
    const signature = `sha256=${`${index}x${call}x`.padEnd(64, "0")}`;
    const sent = exchange(`${id}x${call}`, "webhook", { sent: { call }, came: "{}", at: at + call, signature });
    const [check, role] = call === 0 ? [null, "control"] : ["webhook.signature.missing", "twin"];
    return { ...sent, check: { verification: id, run: 1, subject: "webhook.delivery:first", id: check, role } };
  });
  const finding = {
    id: "webhook.signature.missing",
    module: "first",
    subject: "webhook first",
    result: "fail",
    reason: "the app answered 200",
    hint: null,
    control: `${id}x0`,
    twin: `${id}x1`,
    exchanges: [`${id}x1`],
  };
  const facts = { outcome: "failed", reason: null, seed: 1, platform: "http://127.0.0.1:7410", coverage: [] };
  return [...deliveries, { type: "verification", id, at: time(at + 30), ...facts, checks: [finding] }];
}

/**
 * @param {string} id
 * @param {string} purpose
 * @param {{ readonly url?: string, readonly signature?: string, readonly sent: object, readonly came: string, readonly at: number }} what
 */
function exchange(id, purpose, { url = "http://127.0.0.1:3000/", signature, sent, came, at }) {
  const body = (/** @type {string} */ text) => ({ base64: Buffer.from(text).toString("base64"), size: text.length });
  return {
    type: "exchange",
    id,
    purpose,
    module: "first",
    startedAt: time(at),
    timings: { headersMs: 3, totalMs: 4.5 },
    request: {
      method: "POST",
      url,
      headers: signature === undefined ? [] : [["x-signature", signature]],
      body: body(JSON.stringify(sent)),
    },
    response: { status: 200, headers: [], body: body(came) },
    outcome: { kind: "answered" },
  };
}

/** @param {number} seconds from a day of the journals on */
function time(seconds) {
  return new Date(Date.UTC(2026, 0, 2) + seconds * 1000).toISOString();
}
