import { rm } from "node:fs/promises";
import { bundleProgram } from "./program.mjs";
import { bundleTypes } from "./types.mjs";

/** What may be started or imported, by its name in `dist`. */
const ENTRIES = {
  cli: "src/cli.ts",
  index: "src/index.ts",
};

await rm("dist", { recursive: true, force: true });
await Promise.all([bundleProgram(ENTRIES, "dist"), bundleTypes("src/index.ts", "dist/index.d.ts")]);
