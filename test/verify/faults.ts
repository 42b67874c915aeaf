import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SimulatorOptions } from "../../src/platform/simulator-options.ts";
import type { Edit } from "./edited-app.ts";

/** A fault of the sample app, and the checks that find it. */
export interface Fault {
  readonly id: string;
  /** What the app does wrong, in one sentence. */
  readonly says: string;
  /** Ids of the checks that fail or warn because of it. */
  readonly checks: readonly string[];
  readonly edits: readonly Edit[];
  /** The platform's choices; default none. */
  readonly choices?: NonNullable<SimulatorOptions["choices"]>;
  /** The setting `verify`; default nothing. */
  readonly verify?: NonNullable<SimulatorOptions["verify"]>;
}

/** A way to write the sample app that is as right as its own. */
export interface Variation extends Omit<Fault, "checks"> {
  /** Keeps checks from being tried, so that it is tried in an app of its own. */
  readonly isAlone?: boolean;
}

const root = resolve(import.meta.dirname, "../..");

/** The faults of `examples/faults/NAME.json`. */
export function faultsOf(name: string): Fault[] {
  return JSON.parse(readFileSync(join(root, "examples/faults", `${name}.json`), "utf8")) as Fault[];
}

/** The faults of every file. */
export function allFaults(): Fault[] {
  return readdirSync(join(root, "examples/faults")).flatMap((file) => faultsOf(file.replace(/\.json$/, "")));
}

/** The variations of `test/verify/variations/NAME.json`. */
export function variationsOf(name: string): Variation[] {
  return JSON.parse(readFileSync(join(root, "test/verify/variations", `${name}.json`), "utf8")) as Variation[];
}

/** A one-line fault of the app in Python; `from` stands there exactly once. */
export interface PythonFault {
  readonly says: string;
  readonly checks: readonly string[];
  readonly from: string;
  readonly to: string;
  /** A second line, where the first alone would not show. */
  readonly also?: Pick<PythonFault, "from" | "to">;
}

/** The faults of `apps/harbour.py`. */
export function harbourFaults(): PythonFault[] {
  return JSON.parse(readFileSync(join(root, "test/verify/apps/harbour-faults.json"), "utf8")) as PythonFault[];
}
