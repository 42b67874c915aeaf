#!/usr/bin/env node
import module from "node:module";

// An old Node has to read this file whole to say that it is too old: it holds nothing that came with a newer one.
const LEAST_NODE = [20, 19];

const [major, minor] = process.versions.node.split(".").map(Number);
const isTooOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);

// Asked for by scripts and update services: it needs nothing of the program.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  const { version } = module.createRequire(import.meta.url)("../package.json");
  process.stdout.write(`${version}\n`);
} else if (isTooOld) {
  const hint = "install a newer Node, or let PATH name one";
  process.stderr.write(
    `error: app-sim needs Node ${LEAST_NODE.join(".")} or newer, this is ${process.versions.node}\nhint: ${hint}\n`,
  );
  process.exitCode = 2;
} else {
  if (module.enableCompileCache !== undefined) module.enableCompileCache();
  import("../dist/cli.js").catch((error) => {
    if (error.code !== "EMFILE" && error.code !== "ENFILE") throw error;
    process.stderr.write("error: this process may not open more files\nhint: raise the limit: ulimit -n 1024\n");
    process.exit(71);
  });
}
