import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import everything from "./vitest.config.ts";

/** What `npm run test:matrix` runs: every fault of the sample app, and every right way to write it, beside the checks. */
export default mergeConfig(
  { ...everything, test: { ...everything.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ["**/*.matrix.test.ts"], exclude: configDefaults.exclude } }),
);
