import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(import.meta.dirname, "../node_modules/.vite"),
  test: {
    include: ["**/*.test.ts"],
    // Most tests wait for processes and sockets rather than compute: a worker per core, also where there are two.
    maxWorkers: "100%",
    // No module of ours keeps state, so the files of a worker can share what they import.
    isolate: false,
    // Generous for a slow machine: nothing waits for it unless a test hangs.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
