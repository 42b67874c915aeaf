import { execFile } from "node:child_process";
import { resolve } from "node:path";

/** How a script ended, with what it wrote. */
export interface ShellResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a POSIX shell script in `cwd` in which `app_sim` is the built program, for what needs a shell to be tried:
 * pipelines, closed descriptors, `eval`.
 */
export function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<ShellResult> {
  const program = resolve(import.meta.dirname, "../../bin/app-sim.js");
  const prelude = 'app_sim() { "$NODE" "$PROGRAM" "$@"; }\n';
  return new Promise((resolve) => {
    const environment = { PATH: process.env.PATH, HOME: cwd, NODE: process.execPath, PROGRAM: program, ...env };
    execFile("sh", ["-c", prelude + script], { cwd, env: environment }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
