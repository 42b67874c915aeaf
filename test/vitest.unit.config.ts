import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import everything from "./vitest.config.ts";

/** What a test imports, or calls, that starts a server, a process, a terminal or a browser. */
const STARTS = [
  /\/rig\/(artillery|browser|calling-app|cli|command|docs|fake-app|imported|imports|line|line-terminal|logins)\.ts"/,
  /\/rig\/(oauth|own-network|platform|program|python-receiver|server|shell|simulation|steered-gateway|terminal|tls)\.ts"/,
  /-rig\.ts"|edited-app|startSampleApp|startSimulator|"node:(child_process|http)"/,
];

/** Many cases, all sources, the built package, or the clients of others: each takes seconds. */
const SLOW = /\.property\.|^(clients|rig)\b|^house\b|^package\b/;

const startsSomething = (file: string) => {
  const text = readFileSync(path.join(import.meta.dirname, file), "utf8");
  return STARTS.some((start) => start.test(text));
};

/** What `npm run test:unit` leaves to `npm test`. */
const left = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => SLOW.test(file) || startsSomething(file));

export default mergeConfig(everything, defineConfig({ test: { exclude: left } }));
