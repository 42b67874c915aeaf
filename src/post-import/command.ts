import { once } from "node:events";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runWithSimulator } from "../command-line/session.ts";
import { exitCodeOf, exitCodes } from "../output/exit-code.ts";
import type { Invocation } from "../output/invocation.ts";
import { isCi } from "../output/is-ci.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { withoutUndefined } from "../output/options.ts";
import type { ImportedJob, ImportResult } from "../platform/results.ts";
import { fixtureFiles } from "./fixture-files.ts";
import type { ImportFlags } from "./import-flags.ts";
import type { ImportOptions } from "./run/import-options.ts";
import { importText } from "./text/import-text.ts";

/** `app-sim post-import FILE…` */
export async function postImport(
  invocation: Invocation,
  patterns: readonly string[],
  { via, occasion, update, save, preview = false, open, strict = false, details = false }: ImportFlags,
): Promise<number> {
  const { cwd, paint } = invocation;
  // Else garbage grows to four times what is alive, so that large jobs seem to need what they only did not return.
  setFlagsFromString("--heap-growing-percent=50");
  const files = await fixtureFiles(cwd, patterns);
  const sources = files.map((file) => path.resolve(cwd, file));
  const names = new Map(sources.map((source, index) => [source, files[index] ?? source]));
  const kept = save === undefined ? undefined : path.resolve(cwd, save);
  const options = withoutUndefined<ImportOptions>({ preview, via, occasion, update, save: kept });
  return runWithSimulator(
    invocation,
    async (simulator) => {
      const result = await simulator.postImport(sources, options);
      return { ...result, jobs: result.jobs.map((job) => withNames(job, names, cwd)) };
    },
    (result, exchanges) => importText(result, exchanges, paint, details),
    {
      exitCode: (result) => {
        const code = exitCodeOf(result);
        return strict && code === exitCodes.asExpected && hasWarnings(result) ? exitCodes.failed : code;
      },
      afterwards: async (result) => (preview ? showPreviews(invocation, result, open) : undefined),
    },
  );
}

function hasWarnings({ jobs }: ImportResult): boolean {
  return jobs.some(({ findings }) => findings.some(({ result }) => result === "warn"));
}

/** Files as the user named them, or would from where they are. */
function withNames(job: ImportedJob, names: ReadonlyMap<string, string>, cwd: string): ImportedJob {
  const { fixture, expected } = job;
  return {
    ...job,
    fixture: names.get(fixture) ?? fixture,
    expected: expected && { ...expected, file: path.relative(cwd, expected.file) },
  };
}

/** The platform serves the previews as long as it is up. */
async function showPreviews({ env, err, signal }: Invocation, { jobs }: ImportResult, opens: boolean): Promise<void> {
  const urls = jobs.flatMap(({ preview }) => preview?.url ?? []);
  if (urls.length === 0) {
    const isLeftOut = jobs.some(({ findings }) => findings.some(({ check }) => check === "import.preview.plurals"));
    const isImported = jobs.some(({ outcome }) => outcome === "imported");
    if (isLeftOut) err("there is no preview: the app's was left out, as the warning says\n");
    else if (isImported) err("there is no preview: the app answered without one\n");
    return;
  }
  if (isCi(env)) {
    err("the preview is not shown: nobody looks at it where CI is set\n");
    return;
  }
  if (opens) for (const url of urls) openInBrowser(url);
  err(`${urls.length === 1 ? "the preview stays" : "the previews stay"} at ${urls.join(", ")} until Ctrl-C\n`);
  if (!signal.aborted) await once(signal, "abort");
}
