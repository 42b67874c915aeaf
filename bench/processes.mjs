import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** A port of 127.0.0.1 at which nothing listens. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts the sample app in a process of its own.
 * @param {number} port
 * @param {string} platform the platform's address
 */
export function startSampleApp(port, platform) {
  return startProgram("sample-app.mjs", [String(port), platform]);
}

/** Starts, in a process of its own, an app that acknowledges every delivery. */
export function startReceiver() {
  return startProgram("receiver.mjs", []);
}

/**
 * @param {string} name of a program here that prints its address when it is ready
 * @param {readonly string[]} args
 */
async function startProgram(name, args) {
  const child = spawn(process.execPath, [here(name), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [address] = await once(child.stdout, "data");
  return {
    url: String(address).trim(),
    async close() {
      child.kill();
      await once(child, "close");
    },
  };
}

/**
 * Runs `app-sim` to its end.
 * @param {readonly string[]} args
 * @param {number} exitCode that it is to end with
 * @returns what it printed, the most memory that it held, and the heap that it had in use at its end, in KiB
 */
export async function runAppSim(args, exitCode = 0) {
  const command = ["--expose-gc", "--import", here("report-peak.mjs"), here("../bin/app-sim.js"), ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const report = child.stdio[3];
  if (!(report instanceof Readable) || child.stdout === null || child.stderr === null) throw new Error("no pipes");
  const [[code], stdout, stderr, memory] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
    text(report),
  ]);
  if (code !== exitCode) throw new Error(`app-sim ended with ${code}: ${stderr}${stdout.slice(0, 1000)}`);
  const [peak = 0, heap = 0] = memory.split(" ").map(Number);
  return { stdout, peak, heap };
}
