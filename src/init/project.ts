import type { ProjectLanguage } from "./frameworks.ts";

/** A test runner for which there is a contract test. */
export type Runner = "vitest" | "jest" | "node:test";

/** What `init` found out about a project. */
export interface FoundProject {
  /** null if no file shows it. */
  readonly language: ProjectLanguage | null;
  readonly framework: string | null;
  /** Files that list its dependencies. */
  readonly dependencyFiles: readonly string[];
  /** Where the app listens, and where that comes from. */
  readonly port: { readonly port: number; readonly from: string };
  /** The command line that starts the app; null if unknown. */
  readonly start: string | null;
  /** The file of the manifest, relative to the folder; null if none was found. */
  readonly manifest: string | null;
  /** Whether the app itself probably serves it: then it is fetched from the app, not read from the file. */
  readonly servesManifest: boolean;
  /** The runner of its tests; null for a language other than JavaScript or TypeScript. */
  readonly runner: Runner | null;
  /** Whether its `test` script makes Jest run ES modules, which needs a flag of Node. */
  readonly hasJestOfModules: boolean;
  /** The folder of its tests. */
  readonly tests: string;
  /** Whether its package.json says that `.js` files are ES modules. */
  readonly isModule: boolean;
  /** Whether the schema of config files is in its `node_modules`, or will be once app-sim is installed there. */
  readonly hasSchema: boolean;
  /** The version of app-sim in its package.json, or its source; null if it is not among the packages. */
  readonly appSim: string | null;
  readonly packageManager: PackageManager;
  readonly ci: "github" | "gitlab";
}

/** The program that installs packages. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";
