import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./sequencer.ts";

/** The headless Chromium of the tests, which is for Linux. */
const chromium = path.join(import.meta.dirname, "../node_modules/@sparticuz/chromium/unpacked/chrome");
const hasChromium = process.platform === "linux";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(import.meta.dirname, "../node_modules/.vite"),
  test: {
    include: ["**/*.test.ts"],
    // `npm run test:matrix` runs these: they start some six hundred apps.
    exclude: [...configDefaults.exclude, "**/*.matrix.test.ts"],
    // Many tests wait for processes, sockets and time limits: with three workers more than cores none of these idles.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongestFirst },
    // No module of ours keeps state, so the files of a worker can share what they import.
    isolate: false,
    // Each file is transformed once for as long as it stays the same: otherwise all workers wait for that at every start.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: path.join(import.meta.dirname, "../node_modules/.cache/test-modules"),
    },
    // Most of what tests allocate is garbage at once: with more room for it, fewer collections have to move the rest.
    execArgv: ["--max-semi-space-size=64"],
    // Where it sees CI, Ink draws nothing: the tests of the walk draw in this process, everywhere.
    // With CHROME_PATH, `verify` walks frames in the same Chromium on every machine: an installed one takes five times as long.
    env: { CI: "false", ...(hasChromium ? { CHROME_PATH: chromium } : {}) },
    globalSetup: hasChromium ? ["./rig/unpack-browser.ts"] : [],
    // Generous for a slow machine, and for a run of all checks: nothing waits for it unless a test hangs.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
