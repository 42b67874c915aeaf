import type { ConfigInput } from "./config-file-schema.ts";

/**
 * Types the configuration in `app-sim.config.ts` or `.mjs`, so that editors complete and check it (docs/configuration.md).
 *
 * ```ts
 * import { defineConfig } from "app-sim";
 *
 * export default defineConfig({ app: { url: "http://127.0.0.1:3000" } });
 * ```
 * @returns the same object
 */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
