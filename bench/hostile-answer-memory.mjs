import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { writeJob } from "./import-job.mjs";
import { runAppSim } from "./processes.mjs";

// How much memory `app-sim post-import` needs for files that are made to take all of it, against one that is in order.

const LINE_BYTES = 15_000_000;
const long = "x".repeat(LINE_BYTES);

/** @type {readonly { name: string, lines: () => Iterable<string>, packed?: boolean, exitCode: number, most: number }[]} */
const answers = [
  { name: "one line of 5 GB, packed", lines: () => repeated("x", 5e9), packed: true, exitCode: 1, most: 2 },
  { name: "100,000,000 blank lines", lines: () => repeated("\n", 1e8), exitCode: 1, most: 2 },
  { name: "2,000,000 lines that are no strings", lines: () => repeated("{}\n", 6e6), exitCode: 1, most: 3 },
  {
    name: "a line of 7,500,000 labels that are none",
    lines: () => [`{"uniqId":"1","identifier":"a","text":"a","labels":[0${",0".repeat(LINE_BYTES / 2 - 1)}]}\n`],
    exitCode: 1,
    most: 3,
  },
  {
    name: "3 strings with 15 MB of text",
    lines: () => added((number) => ({ text: number + long })),
    exitCode: 0,
    most: 3,
  },
  { name: "3 ids of 15 MB", lines: () => added((number) => ({ uniqId: number + long })), exitCode: 0, most: 3 },
  { name: "3 faults of 15 MB", lines: () => added(() => ({ text: [long] })), exitCode: 1, most: 3 },
];

const manifest = { modules: { "file-post-import": [{ key: "bench", name: "bench", url: "/import" }] } };
/** @type {Pick<(typeof answers)[number], "lines" | "packed">} */
let answer = { lines: () => [] };
const server = createServer((request, response) => {
  if (request.url === "/manifest.json") return response.end(JSON.stringify(manifest));
  if (request.url === "/import") {
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ data: { stringsUrl: `${address}/strings` } }));
  }
  const plain = Readable.from(answer.lines());
  if (!answer.packed) return plain.pipe(response);
  response.setHeader("content-encoding", "gzip");
  return plain.pipe(createGzip({ level: 1 })).pipe(response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;

const directory = mkdtempSync(path.join(tmpdir(), "app-sim-bench-"));
try {
  const { job } = await writeJob(directory, 2);
  const inOrder = await peakOf(job, () => [], 0);
  process.stdout.write(`in order: ${(inOrder / 1024).toFixed(0)} MiB\n`);
  for (const { name, lines, packed, exitCode, most } of answers) {
    const ratio = (await peakOf(job, lines, exitCode, packed)) / inOrder;
    process.stdout.write(`${name}: ${ratio.toFixed(2)} times as much, at most ${most}\n`);
    if (ratio > most) process.exitCode = 1;
  }
} finally {
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * The peak of memory of one import, in KiB.
 * @param {string} job
 * @param {() => Iterable<string>} lines of the file that the app's answer names
 * @param {number} exitCode
 * @param {boolean} [packed]
 */
async function peakOf(job, lines, exitCode, packed = false) {
  answer = { lines, packed };
  const options = ["--app", address, "--format", "json", "--journal", path.join(directory, "journal")];
  const size = ["--choose", "postImport.fetch.size=4294967296"];
  return (await runAppSim(["post-import", job, ...options, ...size], exitCode)).peak;
}

/**
 * @param {string} text
 * @param {number} bytes
 */
function* repeated(text, bytes) {
  const block = text.repeat(Math.floor(65_536 / text.length));
  for (let sent = 0; sent < bytes; sent += block.length) yield block;
}

/** @param {(number: number) => object} fields */
function* added(fields) {
  for (let number = 1; number <= 3; number++) {
    const string = { uniqId: `new ${number}`, identifier: `new.key.${number}`, text: "Saved", ...fields(number) };
    yield `${JSON.stringify(string)}\n`;
  }
}
