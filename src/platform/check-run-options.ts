import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { SimulatorOptions } from "./simulator-options.ts";

/** @throws UsageError for options that are invalid, of those that are not part of the configuration */
export function checkRunOptions(options: SimulatorOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(
      "options-invalid",
      `startSimulator(): ${valueText(options)} is not an object of options`,
      "for example { app: { url } }",
    );
  }
  const { controlToken, seed } = options;
  requirePath(options, "journal", "a directory", ".app-sim");
  requirePath(options, "configFile", "a file", "app-sim.config.json");
  if (controlToken !== undefined && !/^[\x21-\x7e]{22,}$/.test(controlToken)) {
    throw new UsageError(
      "control-token-invalid",
      "startSimulator(): controlToken can be guessed",
      "at least 22 visible ASCII characters, such as 256 random bits in base64url",
    );
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw new UsageError(
      "seed-invalid",
      `startSimulator(): ${valueText(seed)} is not a seed`,
      "a whole number, such as 7",
    );
  }
}

function requirePath(options: SimulatorOptions, name: "journal" | "configFile", kind: string, example: string): void {
  const value: unknown = options[name];
  if (value === undefined || (typeof value === "string" && value !== "")) return;
  throw new UsageError(
    "options-invalid",
    `startSimulator(): ${name} is ${valueText(value)}: expected the path of ${kind}`,
    `for example ${name}: "${example}"`,
  );
}
