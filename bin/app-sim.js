#!/usr/bin/env node
import module from "node:module";
import v8 from "node:v8";

// Asked for by scripts and update services: it needs nothing of the program.
if (process.argv.length === 3 && process.argv[2] === "--version") {
  const { version } = module.createRequire(import.meta.url)("../package.json");
  process.stdout.write(`${version}\n`);
} else {
  if (module.enableCompileCache !== undefined) module.enableCompileCache();
  // As in newer versions of Node. With the 1,800,000 of Node 20, the parser of HTTP is compiled a second time for the
  // first answer already, and the end of the process waits for that.
  else v8.setFlagsFromString("--wasm-tiering-budget=13000000");
  await import("../dist/cli.js").catch((error) => {
    if (error.code !== "EMFILE" && error.code !== "ENFILE") throw error;
    process.stderr.write("error: this process may not open more files (raise the limit: ulimit -n 1024)\n");
    process.exit(71);
  });
}
