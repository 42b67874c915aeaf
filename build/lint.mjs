import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** What `npm run lint` runs, the longest first, so that no core waits for it in the end. */
const PARTS = ["lint:package", "types", "lint:code", "lint:unused"];

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
// The build that npm runs before it packs would take `dist` away from the parts that read it.
const env = { ...process.env, npm_config_ignore_scripts: "true" };

/**
 * Runs a script of package.json, and prints what it said once it has ended, so that the parts do not mix.
 * @param {string} name
 * @returns {Promise<boolean>} whether it found nothing
 */
function run(name) {
  const child = spawn(scripts[name], { shell: true, env, stdio: ["ignore", "pipe", "pipe"] });
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (code) => {
      process.stderr.write(`${name}: ${code === 0 ? "good" : "failed"}\n`);
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

/** Runs the next part, as long as there is one. */
async function runInTurn() {
  for (let name = PARTS.shift(); name !== undefined; name = PARTS.shift()) {
    if (!(await run(name))) process.exitCode = 1;
  }
}

if (!existsSync("dist")) await import("./build.mjs");
await Promise.all(Array.from({ length: availableParallelism() }, runInTurn));
