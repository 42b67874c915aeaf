import path from "node:path";
import { importText } from "../report/import-text.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

/** `app-sim post-import FILE…` */
export function postImport(
  invocation: Invocation,
  files: readonly string[],
  { details = false }: { readonly details?: boolean },
): Promise<number> {
  return runWithSimulator(
    invocation,
    async (simulator) => {
      const result = await simulator.postImport(...files.map((file) => path.resolve(invocation.cwd, file)));
      return { ...result, jobs: result.jobs.map((job, index) => ({ ...job, fixture: files[index] ?? job.fixture })) };
    },
    (result, exchanges) => importText(result, exchanges, invocation.paint, details),
  );
}
