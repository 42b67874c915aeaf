import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(import.meta.dirname, "../node_modules/.vite"),
  test: {
    include: ["**/*.test.ts"],
    // `npm run test:matrix` runs these: they start some six hundred apps.
    exclude: [...configDefaults.exclude, "**/*.matrix.test.ts"],
    // Many tests wait for processes, sockets and time limits: with one worker more than cores none of these idles.
    maxWorkers: availableParallelism() + 1,
    // No module of ours keeps state, so the files of a worker can share what they import.
    isolate: false,
    // Where it sees CI, Ink draws nothing: the tests of the walk draw in this process, everywhere.
    env: { CI: "false" },
    // Generous for a slow machine: nothing waits for it unless a test hangs.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
