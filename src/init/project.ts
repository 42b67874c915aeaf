import type { ProjectLanguage } from "./frameworks.ts";

/** A test runner for which there is a contract test. */
export type Runner = "vitest" | "jest" | "node:test";

/** What `init` found out about a project. */
export interface FoundProject {
  /** null: no file tells. */
  readonly language: ProjectLanguage | null;
  readonly framework: string | null;
  /** Files that name its dependencies. */
  readonly dependencyFiles: readonly string[];
  /** Where the app listens, and what says so. */
  readonly port: { readonly port: number; readonly from: string };
  /** The command line that starts the app; null where it is not known. */
  readonly start: string | null;
  /** The file of the manifest, relative to the folder; null: none was found. */
  readonly manifest: string | null;
  /** Whether the app itself is likely to serve it: then its address is asked, and not the file. */
  readonly servesManifest: boolean;
  /** The runner of its tests; null for a language other than JavaScript or TypeScript. */
  readonly runner: Runner | null;
  /** Whether its script `test` has Jest take ES modules, for which Node needs a flag. */
  readonly hasJestOfModules: boolean;
  /** The folder of its tests. */
  readonly tests: string;
  /** Whether its package.json says that `.js` files are ES modules. */
  readonly isModule: boolean;
  /** Whether the schema of config files is in its `node_modules`, or will be once app-sim is installed there. */
  readonly hasSchema: boolean;
  /** The version of app-sim in its package.json, or where it is taken from; null: it is none of its packages. */
  readonly appSim: string | null;
  readonly packageManager: PackageManager;
  readonly ci: "github" | "gitlab";
}

/** The program that installs packages. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";
