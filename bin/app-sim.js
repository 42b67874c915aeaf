#!/usr/bin/env node
import module from "node:module";

// Asked for by scripts and update services: it needs nothing of the program.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  const { version } = module.createRequire(import.meta.url)("../package.json");
  process.stdout.write(`${version}\n`);
} else {
  module.enableCompileCache?.();
  await import("../dist/cli.js").catch((error) => {
    if (error.code !== "EMFILE" && error.code !== "ENFILE") throw error;
    process.stderr.write("error: this process may not open more files (raise the limit: ulimit -n 1024)\n");
    process.exit(71);
  });
}
