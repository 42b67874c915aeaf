import { once } from "node:events";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { loadConfig } from "../config/load.ts";
import { exitCodes } from "../output/exit-code.ts";
import { filesNamed } from "../output/files-named.ts";
import { isCi } from "../output/is-ci.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { shellWord } from "../output/shell-word.ts";
import { tell } from "../output/tell.ts";
import { rightOnlyLine, strictLine } from "../output/text.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ImportFlags, ImportMethods } from "./action.ts";
import { importExitCode } from "./exit-code.ts";
import { isExpectedAnswer } from "./files/expected-answer.ts";
import type { ImportedJob, ImportResult } from "./import-result.ts";
import type { ImportOptions } from "./run/import-options.ts";
import { importText } from "./text/import-text.ts";

/** `app-sim post-import FILE…` */
export async function importCommand({
  invocation,
  args,
  flags: { open, strict = false },
  options,
  onSimulator,
}: CommandCall<ImportMethods, ImportFlags, ImportOptions>): Promise<number> {
  const { cwd, paint } = invocation;
  const files = args.length === 0 ? [await configuredFixture(invocation)] : await fixtureFiles(cwd, args);
  // Otherwise garbage grows to four times the live data, so large jobs seem to need far more memory than they do.
  setFlagsFromString("--heap-growing-percent=50");
  const sources = files.map((file) => path.resolve(cwd, file));
  const names = new Map(sources.map((source, index) => [source, files[index] ?? source]));
  const save = options.save === undefined ? {} : { save: path.resolve(cwd, options.save) };
  return onSimulator(
    async (simulator) => {
      const result = await simulator.postImport(sources, { ...options, ...save });
      return { ...result, jobs: result.jobs.map((job) => withNames(job, names, cwd)) };
    },
    {
      text: (result, exchanges) => [
        ...importText(result, exchanges, paint, invocation.report.details),
        ...strictLine(isFailedBy(result, strict), paint),
        ...(importExitCode(result) === exitCodes.asExpected ? rightOnlyLine("post-import --tamper", invocation) : []),
      ],
      exitCode: (result) => (isFailedBy(result, strict) ? exitCodes.failed : importExitCode(result)),
      afterwards: async (result) =>
        options.preview === true ? showPreviews(invocation, result, open !== false) : undefined,
    },
  );
}

/** Where `app-sim init` puts a project's fixture; app-sim's own are there, too. */
const USUAL_FOLDER = path.join("fixtures", "jobs");
/** Enough to see what the names look like. */
const NAMED_FIXTURES = 3;

/**
 * The only fixture that `verify.fixtures` of the configuration names, for a command that names none.
 * @throws UsageError if it names none, or several
 */
async function configuredFixture({ settings, env, cwd }: Invocation): Promise<string> {
  const { config } = await loadConfig(settings, env, cwd);
  const configured = config.verify.fixtures.map((file) => path.relative(cwd, file));
  const [only, ...others] = configured;
  if (only === undefined) throw noFileGiven(await usualFixtures(cwd));
  if (others.length > 0) throw noFileGiven(configured);
  return only;
}

async function usualFixtures(cwd: string): Promise<string[]> {
  const found = await filesNamed(cwd, USUAL_FOLDER, ["**/*.json"]).catch((): string[] => []);
  return found.filter((file) => file !== USUAL_FOLDER);
}

/** Names the existing fixtures, or says how to make the first one. */
function noFileGiven(fixtures: readonly string[]): UsageError {
  const [first] = fixtures;
  const others = fixtures.slice(1, NAMED_FIXTURES);
  const more =
    others.length === 0 ? "" : `; also there: ${others.join(", ")}${fixtures.length > NAMED_FIXTURES ? " …" : ""}`;
  return new UsageError(
    "usage",
    "missing required argument 'file': the fixture to import",
    first === undefined
      ? "`app-sim fixture FILE` makes one from a localization file, `app-sim init` from those that it finds in your project; `app-sim post-import --help` shows one to write by hand"
      : `app-sim post-import ${shellWord(first)}${more}; \`app-sim fixture FILE\` makes another from a localization file`,
  );
}

/**
 * The fixtures that arguments name, in order: files, directories (all `.json` files in them, at any depth) and glob
 * patterns, for shells that do not expand them.
 * @throws UsageError for an argument without any fixture
 */
async function fixtureFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const noFixture = (message: string, hint: string) => new UsageError("no-fixture", message, hint);
  const files: string[] = [];
  for (const name of names) {
    const found = await filesNamed(cwd, name, ["**/*.json"]);
    const hint = "give a fixture, a directory of fixtures (.json), or a pattern such as 'fixtures/**/*.json'";
    if (found.length === 0) throw noFixture(`there is no fixture in ${name}`, hint);
    files.push(...found);
  }
  const fixtures = files.filter((file) => !isExpectedAnswer(file));
  if (fixtures.length > 0) return fixtures;
  throw noFixture(`${names.join(" ")}: that is an expected answer, not a fixture`, "give the fixture next to it");
}

/** Whether a warning is the only reason for the run to fail. */
function isFailedBy(result: ImportResult, isStrict: boolean): boolean {
  const hasWarnings = result.jobs.some(({ findings }) => findings.some((finding) => finding.result === "warn"));
  return isStrict && hasWarnings && importExitCode(result) === exitCodes.asExpected;
}

/** The job with its file names as given by the user, or relative to the working directory. */
function withNames(job: ImportedJob, names: ReadonlyMap<string, string>, cwd: string): ImportedJob {
  const { fixture, expected } = job;
  return {
    ...job,
    fixture: names.get(fixture) ?? fixture,
    expected: expected && { ...expected, file: path.relative(cwd, expected.file) },
  };
}

/** Shows previews until Ctrl-C: the platform serves them only while it runs. */
async function showPreviews(invocation: Invocation, { jobs }: ImportResult, opens: boolean): Promise<void> {
  const { env, signal, expectInterrupt } = invocation;
  const say = (text: string) => tell(invocation, text);
  const urls = jobs.flatMap(({ preview }) => preview?.url ?? []);
  if (urls.length === 0) {
    const isLeftOut = jobs.some(({ findings }) => findings.some(({ check }) => check === "import.preview.plurals"));
    const isImported = jobs.some(({ outcome }) => outcome === "imported");
    const isUnchanged = jobs.some(({ outcome }) => outcome === "not-modified");
    if (isLeftOut) say("there is no preview: the app's was ignored, see the warning");
    else if (isImported) say("there is no preview: the app answered without one");
    else if (isUnchanged) say("there is no preview: the app answered 304, which cannot have one");
    return;
  }
  if (isCi(env)) return say("the preview is not shown, because CI is set");
  if (opens) for (const url of urls) openInBrowser(url);
  say(`${urls.length === 1 ? "the preview stays" : "the previews stay"} at ${urls.join(", ")} until Ctrl-C`);
  expectInterrupt();
  if (!signal.aborted) await once(signal, "abort");
}
