import { rm } from "node:fs/promises";
import { bundleInspectorPage } from "./inspector-page.mjs";
import { bundleProgram } from "./program.mjs";
import { bundleTypes } from "./types.mjs";

/** What may be started or imported, by its name in `dist`. */
const ENTRIES = {
  cli: "src/cli.ts",
  index: "src/index.ts",
  "sample-packages": "build/sample-packages.mjs",
  testing: "src/testing/testing.ts",
  vitest: "src/testing/vitest.ts",
};

process.stderr.write("Building dist.\n");
await rm("dist", { recursive: true, force: true });
await Promise.all([
  bundleProgram(ENTRIES, "dist"),
  bundleInspectorPage("dist/inspector"),
  bundleTypes({
    "dist/index.d.ts": "src/index.ts",
    "dist/testing.d.ts": "src/testing/testing.ts",
    "dist/vitest.d.ts": "src/testing/vitest.ts",
  }),
]);
