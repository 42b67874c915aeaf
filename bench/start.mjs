import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { median } from "./median.mjs";

/** How long commands take to start, as ratios to `node -e 0`: pairs, so that both see the same load of the machine. */
const PAIRS = 15;

const program = fileURLToPath(new URL("../bin/app-sim.js", import.meta.url));
const hasCompileCache = "enableCompileCache" in (await import("node:module"));

const app = await startApp();
const cwd = await mkdtemp(path.join(tmpdir(), "app-sim-start-"));

/**
 * @typedef {object} Start
 * @property {string} name
 * @property {readonly string[]} args
 * @property {number} limit
 * @property {"end" | "answer" | "frame"} [until] default: its end
 */

/** @type {readonly Start[]} */
const starts = [
  { name: "--version", args: ["--version"], limit: 1.3 },
  { name: "--help", args: ["--help"], limit: 1.5 },
  { name: "webhook", args: ["webhook", "project.approved", "--app", app.url], limit: hasCompileCache ? 2.5 : 3 },
  { name: "guard --yes", args: ["guard", "--yes", "--app", app.url], limit: 3.5 },
  { name: "walk, first frame", args: ["guard", "--no-open", "--app", app.url], until: "frame", limit: 6 },
  { name: "serve, until it answers", args: ["serve", "--port", "0", "--app", app.url], until: "answer", limit: 3.5 },
];

for (const start of starts) {
  // The first start fills the caches, as it does for users.
  await timeStart(start);
  const ratios = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const bare = await timeToEnd(["-e", "0"]);
    ratios.push((await timeStart(start)) / bare);
  }
  const ratio = median(ratios);
  const verdict = ratio <= start.limit ? "" : "  TOO SLOW";
  process.stdout.write(`${start.name.padEnd(26)} ${ratio.toFixed(2)} × node -e 0 (at most ${start.limit})${verdict}\n`);
}
app.close();
await rm(cwd, { recursive: true });

/**
 * @param {Start} start
 * @returns milliseconds
 */
function timeStart({ args, until = "end" }) {
  const command = [program, ...args];
  if (until === "frame") return timeToFrame(command);
  return until === "answer" ? timeToAnswer(command) : timeToEnd(command);
}

/** @param {readonly string[]} args */
async function timeToEnd(args) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: "ignore" });
  await once(child, "close");
  return performance.now() - started;
}

/** @param {readonly string[]} args */
async function timeToAnswer(args) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (address === undefined || address === app.url) continue;
    await fetch(address);
    break;
  }
  const taken = performance.now() - started;
  child.kill();
  // Until it has ended, it may still write files to `cwd`.
  await once(child, "close");
  return taken;
}

/** @param {readonly string[]} args */
async function timeToFrame(args) {
  const started = performance.now();
  const terminal = spawnInTerminal(process.execPath, [...args], { cwd, cols: 100, rows: 30 });
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  const taken = await new Promise((resolve) => {
    terminal.onData((data) => {
      if (data.includes("Office")) resolve(performance.now() - started);
    });
  });
  terminal.kill();
  await ended;
  return taken;
}

/** An app in this process, which grants and acknowledges everything. */
async function startApp() {
  const manifest = {
    modules: {
      "auth-guard": [
        { key: "office", name: "Office", url: "/guard", options: { type: "direct", applyToAdmins: true } },
      ],
      webhook: [{ key: "events", url: "/webhook", events: ["project.approved"] }],
    },
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    request.resume();
    response.end(JSON.stringify(request.url === "/manifest.json" ? manifest : { success: true }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
