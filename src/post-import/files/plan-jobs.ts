import path from "node:path";
import type { ChoiceReader } from "../../config/choices.ts";
import { readJsonWithNotes } from "../../config/json-file.ts";
import { referencedFile } from "../../config/referenced-file.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { noteText } from "../../protocol/json.ts";
import type { Occasion } from "../../protocol/occasion.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { ImportContext } from "../import-context.ts";
import { jobsFor } from "../rules/occasion.ts";
import type { ImportOptions } from "../run/import-options.ts";
import { type ExpectedAnswer, expectedFileOf, readExpected } from "./expected-answer.ts";
import type { Fixture } from "./fixture.ts";
import type { ShortFixtureInput } from "./fixture-shape.ts";
import type { JobStrings } from "./job-strings.ts";
import { loadStrings } from "./load-strings.ts";
import { otherFormat } from "./other-kind.ts";
import { shortFixture } from "./short-fixture.ts";
import { wireFixture } from "./wire-fixture.ts";
import { isWireJob } from "./wire-job.ts";

/** The name of a fixture file; or a named object with a complete job or a fixture in the short form. */
export type ImportSource =
  | string
  | {
      /** Its name in reports. */
      readonly name: string;
      /** The body of the call (interface 2.3). */
      readonly job: ImportJob;
    }
  | {
      /** Its name in reports. */
      readonly name: string;
      /** The content of a fixture file. */
      readonly fixture: ShortFixtureInput;
    };

/** One planned call for a fixture. */
export interface PlannedJob {
  readonly fixture: Fixture;
  readonly occasion: Occasion;
  /** The fixture's job with the target languages of the occasion. */
  readonly job: ImportJob;
  readonly strings: JobStrings;
  /** The expected answer next to the fixture, if any; null if a new one will be accepted. */
  readonly expected: ExpectedAnswer | null;
  /** The path of its expected answer; null for a fixture given as an object. */
  readonly expectedFile: string | null;
}

/**
 * Reads fixtures and the expected answers next to them, and plans their jobs (interface 2.1, 2.3). All fixtures are
 * read even if one is invalid. The caller closes the strings of the jobs.
 * @throws UsageError for anything invalid in them, or an occasion that does not fit
 */
export async function planJobs(
  context: ImportContext,
  choices: ChoiceReader,
  sources: readonly ImportSource[],
  options: ImportOptions,
): Promise<PlannedJob[]> {
  const planned: PlannedJob[] = [];
  const errors: UsageError[] = [];
  try {
    for (const source of sources) {
      try {
        const fixture = await readFixture(source, context, choices, options.asIs === true);
        for await (const job of jobsOf(context, choices, fixture, options)) planned.push(job);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        errors.push(error);
      }
    }
    const [first, ...others] = errors;
    if (first === undefined) return planned;
    throw others.length === 0 ? first : allOf(errors, sources.length);
  } catch (error) {
    closeStrings(planned);
    throw error;
  }
}

export function closeStrings(planned: readonly PlannedJob[]): void {
  for (const { strings, expected } of planned) {
    strings.close();
    expected?.strings.close();
  }
}

function allOf(errors: readonly UsageError[], count: number): UsageError {
  return new UsageError(
    "fixtures-invalid",
    `${errors.length} of ${count} fixtures cannot be sent`,
    "nothing was sent; fix these fixtures, or leave them out",
    errors.map(({ summary, hint, problems: [first, ...others] }) => {
      if (first === undefined) return { path: "", message: `${summary}: ${hint}` };
      const more = others.length === 0 ? "" : `, and ${others.length} more`;
      return { path: `${summary}: ${first.path}`, message: `${first.message}${more}` };
    }),
  );
}

async function* jobsOf(
  context: ImportContext,
  choices: ChoiceReader,
  fixture: Fixture,
  { occasion: asked, update }: ImportOptions,
): AsyncGenerator<PlannedJob, void> {
  const wanted = asked ?? fixture.occasion;
  const planned = jobsFor(wanted, fixture.job.targetLanguages);
  if (!planned.ok) throw new UsageError("occasion-invalid", `${fixture.name}: ${planned.reason}`, planned.hint);
  for (const { occasion, targetLanguages } of planned.jobs) {
    const ids = targetLanguages.map(({ id }) => id);
    const isOther = asked !== undefined || planned.jobs.length > 1;
    const languages = occasion === "translation-upload" ? ids : [];
    const expectedFile = fixture.file && expectedFileOf(fixture.file, isOther ? [occasion, ...languages] : []);
    if (expectedFile !== null) await requireBeside(expectedFile, context);
    const expected = update === true || expectedFile === null ? null : await readExpected(expectedFile);
    try {
      const strings = await loadStrings(context, choices, fixture, wanted === undefined ? null : ids);
      const job = { ...fixture.job, targetLanguages: [...targetLanguages] };
      yield { fixture, occasion, job, strings, expected, expectedFile };
    } catch (error) {
      expected?.strings.close();
      throw error;
    }
  }
}

/** @throws UsageError for an expected answer that is a link to elsewhere, because it is read and written */
async function requireBeside(file: string, { config }: ImportContext): Promise<void> {
  const what = "the expected answer";
  await referencedFile({ name: path.basename(file), directory: path.dirname(file), what, allowed: config.allowPaths });
}

async function readFixture(
  source: ImportSource,
  context: ImportContext,
  choices: ChoiceReader,
  asIs: boolean,
): Promise<Fixture> {
  const wire = {
    allowed: context.config.allowPaths,
    jobTypeFor: (given: string | undefined) => (asIs && given !== undefined ? given : choices.get("wire.jobType")),
  };
  if (typeof source === "string") {
    const { value, notes } = await readJsonWithNotes(source, "fixture").catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      throw (error.code === "not-json" && otherFormat(source)) || moduleInPlace(source, error) || error;
    });
    // A lone surrogate is sent as an escape again; a number may have lost digits.
    const warnings = notes
      .filter(({ kind }) => kind === "number")
      .map((note) => `${source}: ${noteText(note)}; it is sent that way`);
    const fixture = isWireJob(value)
      ? await wireFixture(source, source, value, wire)
      : await shortFixture({ name: source, file: source, input: value }, context, choices);
    return { ...fixture, warnings: [...warnings, ...fixture.warnings] };
  }
  if (typeof (source as { name?: unknown } | null)?.name !== "string") {
    const lacks = typeof source === "object" && source !== null && ("fixture" in source || "job" in source);
    throw new UsageError(
      "source-invalid",
      `postImport(): ${valueText(source)} ${lacks ? "has no name" : "is not a fixture"}`,
      "give a file name, such as fixtures/jobs/greetings.json, an object {name, job} or {name, fixture}, or an array of them",
    );
  }
  const { name } = source;
  if ("fixture" in source) {
    return shortFixture({ name, file: null, input: asJson(name, source.fixture) }, context, choices);
  }
  return wireFixture(name, null, asJson(name, source.job), wire);
}

/** The hint for a missing file whose name could be a module's key; null: it could not, or it exists. */
function moduleInPlace(source: string, { code, summary, hint }: UsageError): UsageError | null {
  if (code !== "file-unreadable" || path.extname(source) !== "" || hint.startsWith("did you mean")) return null;
  const more = "is it the key of a module? Name only files: the manifest decides which modules get them";
  return new UsageError(code, summary, `${hint}; ${more}`);
}

/** A job as read back from JSON, without members that JSON cannot hold. */
function asJson(name: string, job: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(job));
  } catch {
    throw new UsageError(
      "source-invalid",
      `postImport(): "${name}" cannot be written as JSON`,
      "give {name, job} or {name, fixture}",
    );
  }
}
