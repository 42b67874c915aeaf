import type { ChoiceReader } from "../../config/choices.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
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
import { readFixture } from "./read-fixture.ts";
import { shortFixture } from "./short-fixture.ts";
import { wireFixture } from "./wire-fixture.ts";

/** A fixture file; or a whole job, or a fixture in the short form, at hand, with a name for it. */
export type ImportSource =
  | string
  | { readonly name: string; readonly job: ImportJob }
  | { readonly name: string; readonly fixture: ShortFixtureInput };

/** One call to be made for a fixture. */
export interface PlannedJob {
  readonly fixture: Fixture;
  readonly occasion: Occasion;
  /** The fixture's job with the target languages of the occasion. */
  readonly job: ImportJob;
  readonly strings: JobStrings;
  /** Whether it is not simply the fixture's job: another occasion was asked for, or it is one of several. */
  readonly isAsked: boolean;
  /** The answer that is expected; null where none is, or a new one is to be accepted. */
  readonly expected: ExpectedAnswer | null;
}

/**
 * Reads fixtures and the expected answers beside them, and says which jobs they stand for (interface 2.1, 2.3). The
 * strings of the jobs are to be closed.
 * @throws UsageError for what is not valid in them, or an occasion that does not fit
 */
export async function planJobs(
  context: ImportContext,
  choices: ChoiceReader,
  sources: readonly ImportSource[],
  options: ImportOptions,
): Promise<PlannedJob[]> {
  const planned: PlannedJob[] = [];
  try {
    const errors: UsageError[] = [];
    for (const source of sources) {
      const error = await addFixture(context, choices, source, options, planned);
      if (error !== null) errors.push(error);
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

/** What the user has to mend in this one; the others are read all the same. */
async function addFixture(
  context: ImportContext,
  choices: ChoiceReader,
  source: ImportSource,
  options: ImportOptions,
  planned: PlannedJob[],
): Promise<UsageError | null> {
  try {
    const fixture = await fixtureOf(source, context, choices);
    await addJobs(context, choices, fixture, options, planned);
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

function allOf(errors: readonly UsageError[], count: number): UsageError {
  return new UsageError(
    "fixtures-invalid",
    `${errors.length} of ${count} fixtures cannot be sent`,
    "nothing was sent; mend them, or leave them out",
    errors.flatMap(({ summary, hint, problems }) =>
      problems.length === 0
        ? [{ path: "", message: `${summary}: ${hint}` }]
        : problems.map(({ path, message }) => ({ path: `${summary}: ${path}`, message })),
    ),
  );
}

async function addJobs(
  context: ImportContext,
  choices: ChoiceReader,
  fixture: Fixture,
  { occasion: asked, update }: ImportOptions,
  planned: PlannedJob[],
): Promise<void> {
  const occasion = asked ?? fixture.occasion;
  const jobs = jobsFor(occasion, fixture.job.targetLanguages);
  if (!jobs.ok) throw new UsageError("occasion-invalid", `${fixture.name}: ${jobs.reason}`, jobs.hint);
  for (const { occasion: derived, targetLanguages } of jobs.jobs) {
    const languages = occasion === undefined ? null : targetLanguages.map(({ id }) => id);
    const job = {
      fixture,
      occasion: derived,
      job: { ...fixture.job, targetLanguages: [...targetLanguages] },
      isAsked: asked !== undefined || jobs.jobs.length > 1,
    };
    const file = update === true ? null : expectedFileOf(job);
    const expected = file === null ? null : await readExpected(file);
    try {
      planned.push({ ...job, expected, strings: await loadStrings(context, choices, fixture, languages) });
    } catch (error) {
      expected?.strings.close();
      throw error;
    }
  }
}

async function fixtureOf(source: ImportSource, context: ImportContext, choices: ChoiceReader): Promise<Fixture> {
  if (typeof source === "string") return readFixture(source, context, choices);
  if (typeof (source as { name?: unknown } | null)?.name !== "string") {
    throw new UsageError(
      "source-invalid",
      `postImport(): ${valueText(source)} is not a fixture`,
      "give a file name, an object {name, job} or {name, fixture}, or an array of them",
    );
  }
  if ("fixture" in source)
    return shortFixture(source.name, null, asJson(source.name, source.fixture), context, choices);
  return wireFixture(source.name, null, asJson(source.name, source.job));
}

/** What JSON makes of a job at hand, such as one that a test put together. */
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
