import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(import.meta.dirname, "../node_modules/.vite"),
  test: {
    include: ["**/*.test.ts"],
    // Generous for a slow machine: nothing waits for it unless a test hangs.
    testTimeout: 30_000,
  },
});
