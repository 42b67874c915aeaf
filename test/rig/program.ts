import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The built `app-sim`, for `node` to run. */
export const PROGRAM = resolve(import.meta.dirname, "../../bin/app-sim.js");

export interface ProgramOptions {
  /** A fresh empty directory, removed afterwards, if not given. */
  readonly cwd?: string;
  /** Added to PATH, CHROME_PATH and a HOME of its own; nothing else of this process's environment is passed on. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What a program under test finds around itself. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Removes the HOME, for when the program has ended. */
  remove(): Promise<void>;
}

/** Makes a HOME for a program that is about to start. */
export function makeSurroundings(options: ProgramOptions): Surroundings {
  const { PATH, CHROME_PATH } = process.env;
  const home = mkdtempSync(join(tmpdir(), "app-sim-test-"));
  return {
    cwd: options.cwd ?? home,
    env: { PATH, ...(CHROME_PATH === undefined ? {} : { CHROME_PATH }), HOME: home, ...options.env },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

/**
 * Calls `kill` when this process ends, until the function that it returns is called.
 *
 * The test runner stops a worker with SIGTERM, which would run no `exit` listener and leave a child behind.
 */
export function killWithThisProcess(kill: () => void): () => void {
  const onSigterm = (): void => {
    kill();
    process.kill(process.pid, "SIGTERM");
  };
  process.once("exit", kill);
  process.once("SIGTERM", onSigterm);
  return () => {
    process.off("exit", kill);
    process.off("SIGTERM", onSigterm);
  };
}
