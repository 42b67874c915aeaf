import path from "node:path";
import type { ChoiceReader } from "../../config/choices.ts";
import { readJsonFile } from "../../config/json-file.ts";
import { didYouMeanLanguage } from "../../config/language-ids.ts";
import { findLanguage } from "../../config/languages.ts";
import { referencedFile } from "../../config/referenced-file.ts";
import type { Project } from "../../config/schema.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Language } from "../../protocol/language.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { problemsOf } from "../../protocol/problems.ts";
import { type Problem, UsageError } from "../../protocol/usage-error.ts";
import { stringChecks } from "../checks/strings/string-checks.ts";
import type { ImportContext } from "../import-context.ts";
import { jobOf, recordOf } from "../rules/import-job.ts";
import { type Fixture, type FixtureStrings, invalid } from "./fixture.ts";
import {
  type ShortFixture,
  type ShortString,
  shortFixtureSchema,
  shortStringSchema,
  shortStringsSchema,
} from "./fixture-shape.ts";
import { otherJson } from "./other-kind.ts";
import { embeddedFile, fileAt, md5Of, readHead } from "./source-file.ts";

/** A fixture in the short form, as it is written. */
interface WrittenFixture {
  readonly name: string;
  /** Where it was read from; null: it is an object of the program. */
  readonly file: string | null;
  readonly input: unknown;
}

/**
 * The short form, completed from the configuration. Its files are relative to the file that it was read from, or else
 * to the working directory.
 * @throws UsageError naming the fixture and every problem
 */
export async function shortFixture(
  written: WrittenFixture,
  context: ImportContext,
  choices: ChoiceReader,
): Promise<Fixture> {
  const { name, file } = written;
  const fixture = parseShortFixture(written);
  const { organization, projects } = context.config;
  const project = findProject(name, fixture, projects);
  const directory = file === null ? process.cwd() : path.dirname(file);
  const here = (named: string, what: string) =>
    referencedFile({ name: named, directory, what, allowed: context.config.allowPaths });
  const fileName = fixture.file.name ?? path.basename(fixture.file.path ?? "");
  const sourceFile =
    fixture.file.path === undefined
      ? embeddedFile(fileName, fixture.file.content ?? "")
      : await fileAt(await here(fixture.file.path, `${name}: file.path`), fileName, `${name}: file.path`);
  const hash = await md5Of(sourceFile);
  const job = jobOf({
    fixture,
    fileName,
    organization,
    project,
    sourceLanguage: language(name, "sourceLanguage", fixture.sourceLanguage ?? project.sourceLanguage),
    targetLanguages: (fixture.targetLanguages ?? []).map((id, index) =>
      language(name, `targetLanguages[${index}]`, id),
    ),
    baseUrl: context.baseUrl(),
    jobType: choices.get("wire.jobType"),
  });
  const problems = targetProblems(job);
  if (problems.length > 0) throw invalid(name, "is not a valid fixture", problems);
  const strings = await shortStrings(name, fixture, here, (string, position) => {
    const record = recordOf(string, position, hash);
    return { record, problems: contractProblems(record, job) };
  });
  return { name, file, occasion: fixture.occasion, job, sourceFile, strings, warnings: [] };
}

function parseShortFixture({ name, file, input }: WrittenFixture): ShortFixture {
  const parsed = shortFixtureSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  // Usually a translation file, not a fixture with misspelt keys.
  const isLocalization = typeof input === "object" && input !== null && !("file" in input) && !("strings" in input);
  if (!isLocalization) throw invalid(name, "is not a valid fixture", problemsOf(parsed.error, input, keysAt));
  throw otherJson(name, file, input);
}

/** Target languages differ from the source language and from each other. */
function targetProblems({ sourceLanguage, targetLanguages }: ImportJob): Problem[] {
  const ids = targetLanguages.map(({ id }) => id);
  return ids.flatMap((id, index) => {
    const path = `targetLanguages[${index}]`;
    if (id === sourceLanguage.id) return [{ path, message: `is "${id}", the source language` }];
    return ids.indexOf(id) < index ? [{ path, message: `is "${id}", like an earlier one` }] : [];
  });
}

/** Where a string of a fixture would break the contract for answers (interface 2.5). */
function contractProblems(after: StringRecord, { sourceLanguage: source, targetLanguages: targets }: ImportJob) {
  return stringChecks
    .filter(({ result }) => result === "fail")
    .flatMap(({ find }) => find({ before: null, after }, { source, targets }))
    .map(({ path, message }): Problem => ({ path, message }));
}

type Complete = (
  string: ShortString,
  position: number,
) => { readonly record: StringRecord; readonly problems: readonly Problem[] };

/** Strings in the fixture, or in a JSON array, are few enough to read all at once. */
async function shortStrings(
  fixture: string,
  { strings, stringsFile }: ShortFixture,
  here: (named: string, what: string) => Promise<string>,
  complete: Complete,
): Promise<FixtureStrings> {
  const embedded = (short: readonly ShortString[], what: string, at: string): FixtureStrings => {
    const completed = short.map(complete);
    const problems = completed.flatMap((each, index) =>
      each.problems.map(({ path, message }) => ({ path: `${at}[${index}].${path}`, message })),
    );
    if (problems.length > 0) throw invalid(what, "has invalid strings", problems);
    return { kind: "embedded", records: completed.map(({ record }) => record) };
  };
  if (strings !== undefined) return embedded(strings, fixture, "strings");
  const what = `${fixture}: stringsFile`;
  const file = await here(stringsFile ?? "", what);
  const isArray = (await readHead(file, what)).toString("latin1").trimStart().startsWith("[");
  if (isArray) {
    const input = await readJsonFile(file, what);
    const parsed = shortStringsSchema.safeParse(input);
    if (parsed.success) return embedded(parsed.data, file, "");
    const problems = problemsOf(parsed.error, input, () => stringKeys);
    throw invalid(file, "has invalid strings", problems);
  }
  return {
    kind: "file",
    file,
    recordAt: (value, line, position) => {
      const parsed = shortStringSchema.safeParse(value);
      const { record, problems } = parsed.success
        ? complete(parsed.data, position)
        : { record: null, problems: problemsOf(parsed.error, value, () => stringKeys) };
      if (record !== null && problems.length === 0) return record;
      throw invalid(`${file}, line ${line}`, "is not a valid string", problems);
    },
  };
}

function findProject(file: string, { project }: ShortFixture, projects: readonly Project[]): Project {
  const found = project === undefined ? projects[0] : projects.find(({ identifier }) => identifier === project);
  if (found !== undefined) return found;
  const identifiers = projects.map(({ identifier }) => identifier);
  throw new UsageError(
    "unknown-project",
    `fixture ${file}: project "${project}" is not configured.${didYouMean(project ?? "", identifiers)}`,
    `configured projects: ${identifiers.join(", ")}`,
  );
}

function language(file: string, where: string, id: string): Language {
  const found = findLanguage(id);
  if (found !== undefined) return found;
  throw new UsageError(
    "unknown-language",
    `fixture ${file}: ${where} "${id}" is not a known language id.${didYouMeanLanguage(id)}`,
    "a language that app-sim does not know can be given as an object in a complete job",
  );
}

const stringKeys = Object.keys(shortStringSchema.shape);

function keysAt(path: string): readonly string[] {
  if (path === "") return Object.keys(shortFixtureSchema.shape);
  return path === "file" ? Object.keys(shortFixtureSchema.shape.file.shape) : stringKeys;
}
