import path from "node:path";
import type { ChoiceReader } from "../../config/choices.ts";
import { readJsonFile } from "../../config/json-file.ts";
import { didYouMeanLanguage, findLanguage } from "../../config/languages.ts";
import type { Project } from "../../config/schema.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Language } from "../../protocol/language.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { problemsOf } from "../../protocol/problems.ts";
import { type Problem, UsageError } from "../../protocol/usage-error.ts";
import type { JobLanguages } from "../checks/strings/string-check.ts";
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
import { beginsAsArray, embeddedFile, fileAt, hashOf, hashOfFile } from "./source-file.ts";

/**
 * The short form completed from the world. Its files are relative to the file that it was read from, or else to where
 * the process runs.
 * @throws UsageError naming the fixture and every problem
 */
export async function shortFixture(
  name: string,
  file: string | null,
  input: unknown,
  context: ImportContext,
  choices: ChoiceReader,
): Promise<Fixture> {
  const parsed = shortFixtureSchema.safeParse(input);
  if (parsed.success) return completeFixture(name, file, parsed.data, context, choices);
  const problems = problemsOf(parsed.error, input, keysAt);
  // Somebody's translations, more often than a fixture with its keys misspelt.
  const isLocalization = typeof input === "object" && input !== null && !("file" in input) && !("strings" in input);
  if (!isLocalization) throw invalid(name, "is not a valid fixture", problems);
  throw new UsageError(
    "fixture-invalid",
    `${name} is no fixture: it has neither file nor strings`,
    "if it is a localization file, `app-sim fixture FILE` makes a fixture of it",
  );
}

async function completeFixture(
  name: string,
  file: string | null,
  fixture: ShortFixture,
  context: ImportContext,
  choices: ChoiceReader,
): Promise<Fixture> {
  const { organization } = context.config;
  const project = findProject(name, fixture, context.config.projects);
  const directory = file === null ? process.cwd() : path.dirname(file);
  const fileName = fixture.file.name ?? path.basename(fixture.file.path ?? "");
  const { sourceFile, hash } = await shortFile(name, directory, fixture, fileName);
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
  refuseTargets(name, job);
  const strings = await shortStrings(name, fixture, directory, (string, position) => {
    const record = recordOf(string, position, hash);
    const languages = { source: job.sourceLanguage, targets: job.targetLanguages };
    return { record, problems: contractProblems(record, languages) };
  });
  return { name, file, occasion: fixture.occasion, job, sourceFile, strings, warnings: [] };
}

/** A language is translated into others, and into each of them once. */
function refuseTargets(name: string, { sourceLanguage, targetLanguages }: ImportJob): void {
  const ids = targetLanguages.map(({ id }) => id);
  const problems = ids.flatMap((id, index) => {
    const path = `targetLanguages[${index}]`;
    if (id === sourceLanguage.id) return [{ path, message: `is "${id}", the source language` }];
    return ids.indexOf(id) < index ? [{ path, message: `is "${id}", as an earlier one` }] : [];
  });
  if (problems.length > 0) throw invalid(name, "is not a valid fixture", problems);
}

/** Where a string of ours would break the contract that answers are held to (interface 2.5). */
function contractProblems(record: StringRecord, languages: JobLanguages): Problem[] {
  return stringChecks
    .filter(({ result }) => result === "fail")
    .flatMap(({ find }) => find({ before: null, after: record }, languages))
    .map(({ path, message }) => ({ path, message }));
}

type Complete = (
  string: ShortString,
  position: number,
) => { readonly record: StringRecord; readonly problems: readonly Problem[] };

async function shortFile(fixture: string, directory: string, { file }: ShortFixture, name: string) {
  if (file.path === undefined) {
    const content = file.content ?? "";
    return { sourceFile: embeddedFile(name, content), hash: hashOf(Buffer.from(content, "base64")) };
  }
  const source = path.resolve(directory, file.path);
  const sourceFile = await fileAt(source, name, `${fixture}: file.path`);
  return { sourceFile, hash: await hashOfFile(source) };
}

/** Strings in the fixture, or in a JSON array, are few enough to be read at once. */
async function shortStrings(
  fixture: string,
  { strings, stringsFile }: ShortFixture,
  directory: string,
  complete: Complete,
): Promise<FixtureStrings> {
  const here = (short: readonly ShortString[], what: string, at: string): FixtureStrings => {
    const completed = short.map(complete);
    const problems = completed.flatMap((each, index) =>
      each.problems.map(({ path, message }) => ({ path: `${at}[${index}].${path}`, message })),
    );
    if (problems.length > 0) throw invalid(what, "holds strings that are not valid", problems);
    return { kind: "here", records: completed.map(({ record }) => record) };
  };
  if (strings !== undefined) return here(strings, fixture, "strings");
  const file = path.resolve(directory, stringsFile ?? "");
  const what = `${fixture}: stringsFile`;
  if (await beginsAsArray(file, what)) {
    const input = await readJsonFile(file, what);
    const parsed = shortStringsSchema.safeParse(input);
    if (parsed.success) return here(parsed.data, file, "");
    throw invalid(
      file,
      "holds strings that are not valid",
      problemsOf(parsed.error, input, () => stringKeys),
    );
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
    "a language that app-sim does not know can be given as an object in a whole wire job",
  );
}

const stringKeys = Object.keys(shortStringSchema.shape);

function keysAt(path: string): readonly string[] {
  if (path === "") return Object.keys(shortFixtureSchema.shape);
  return path === "file" ? Object.keys(shortFixtureSchema.shape.file.shape) : stringKeys;
}
