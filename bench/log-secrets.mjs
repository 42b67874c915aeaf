import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

// What `app-sim log` costs where many codes and tokens were issued before what it shows, and where it shows twice as
// much text: as ratios to the same journal without them, in pairs, so that both see the same load of the machine.

const PAIRS = 9;
const SHOWN = 20;
/** As many as are looked through for what was issued, each with a code, a verifier and two tokens. */
const ISSUED = 100;
const WORDS = 20_000;

const program = fileURLToPath(new URL("../bin/app-sim.js", import.meta.url));
const cwd = mkdtempSync(path.join(tmpdir(), "app-sim-log-"));
try {
  const plain = await journalWith({ issues: false, words: WORDS });
  await compare(`after ${ISSUED * 4} codes and tokens`, await journalWith({ issues: true, words: WORDS }), plain, 1.3);
  await compare("of twice as much text", await journalWith({ issues: false, words: 2 * WORDS }), plain, 2.5);
} finally {
  rmSync(cwd, { recursive: true });
}

/**
 * @param {string} name
 * @param {string} directory
 * @param {string} base
 * @param {number} limit
 */
async function compare(name, directory, base, limit) {
  const ratios = [];
  for (let pair = 0; pair < PAIRS; pair += 1) ratios.push((await timeOf(directory)) / (await timeOf(base)));
  const ratio = median(ratios);
  process.stdout.write(
    `log ${name}: ${ratio.toFixed(2)} × without (at most ${limit})${ratio <= limit ? "" : "  TOO SLOW"}\n`,
  );
}

/** @param {string} directory of the journal */
async function timeOf(directory) {
  const args = [program, "log", "--last", String(SHOWN), "--format", "json", "--journal", directory];
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`app-sim log ended with ${code}`);
  return performance.now() - started;
}

/** @param {{ readonly issues: boolean, readonly words: number }} what */
async function journalWith({ issues, words }) {
  const directory = path.join(cwd, `${issues}-${words}`);
  const text = JSON.stringify({ note: "a%20word and the next ".repeat(words / 4) });
  const records = [
    ...Array.from({ length: ISSUED }, (_, index) => {
      const { sent, came } = issues ? tokensOf(index) : { sent: "{}", came: "{}" };
      return exchange(`before${index}`, "token", sent, came);
    }),
    ...Array.from({ length: SHOWN }, (_, index) => exchange(`shown${index}`, "guard", "{}", text)),
  ];
  const lines = [{ type: "journal", version: 1 }, ...records].map((record) => `${JSON.stringify(record)}\n`);
  await mkdir(directory);
  await writeFile(path.join(directory, "journal.ndjson"), lines.join(""));
  return directory;
}

/** @param {number} index */
function tokensOf(index) {
  const value = (/** @type {string} */ name) => `${name}-${index}-`.padEnd(43, `${index}x`);
  const token = (/** @type {string} */ name) => `eyJhbGciOiJFUzI1NiJ9.${value(name).repeat(6)}.${value(name)}`;
  return {
    sent: JSON.stringify({ code: value("code"), code_verifier: value("verifier") }),
    came: JSON.stringify({ access_token: token("access"), refresh_token: token("refresh") }),
  };
}

/**
 * @param {string} id
 * @param {string} purpose
 * @param {string} sent
 * @param {string} came
 */
function exchange(id, purpose, sent, came) {
  const body = (/** @type {string} */ text) => ({ base64: Buffer.from(text).toString("base64"), size: text.length });
  return {
    type: "exchange",
    id,
    purpose,
    module: null,
    startedAt: "2026-01-02T03:04:05.000Z",
    timings: { headersMs: 3, totalMs: 4.5 },
    request: { method: "POST", url: "http://127.0.0.1:3000/", headers: [], body: body(sent) },
    response: { status: 200, headers: [], body: body(came) },
    outcome: { kind: "answered" },
  };
}
