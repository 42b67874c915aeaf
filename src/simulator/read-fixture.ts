import path from "node:path";
import { readJsonFile, readUserFile } from "../config/json-file.ts";
import { findLanguage, languageIds } from "../config/languages.ts";
import type { Project } from "../config/schema.ts";
import { jobOf } from "../platform/import-job.ts";
import type { ChoiceReader } from "../protocol/choices.ts";
import {
  isWireJob,
  type ShortFixture,
  type ShortString,
  shortFixtureSchema,
  shortStringsSchema,
} from "../protocol/fixture.ts";
import { type ImportJob, importJobSchema } from "../protocol/import-job.ts";
import { parseJson } from "../protocol/json.ts";
import type { Language } from "../protocol/language.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { SimulatorContext } from "./context.ts";

/**
 * The job that a fixture file stands for: a whole wire job as it is (interface 2.3), or the short form
 * completed from the world.
 * @throws UsageError naming file, path and what is wrong
 */
export async function readFixture(file: string, context: SimulatorContext, choices: ChoiceReader): Promise<ImportJob> {
  const input = await readJsonFile(file, "fixture");
  if (isWireJob(input)) return wireJob(file, input);
  const parsed = shortFixtureSchema.safeParse(input);
  if (!parsed.success) throw invalid(file, "is not a valid fixture", problemsOf(parsed.error, input, keysAt));
  return completeFixture(file, parsed.data, context, choices);
}

/**
 * A whole wire job (interface 2.3) as it is, further fields and all.
 * @throws UsageError naming the job and every problem
 */
export function wireJob(name: string, input: unknown): ImportJob {
  const parsed = importJobSchema.safeParse(input);
  if (!parsed.success) throw invalid(name, "is not a valid job", problemsOf(parsed.error, input));
  if (parsed.data.strings === undefined) {
    throw new UsageError(
      "fixture-by-url",
      `${name} does not hold its strings`,
      "give them in strings: this version of app-sim sends none by URL",
    );
  }
  refuseRepeatedIds(name, parsed.data.strings);
  return input as ImportJob;
}

/** Interface 2.5: uniqId is unique within the file. */
function refuseRepeatedIds(name: string, strings: readonly { readonly uniqId?: string | undefined }[]): void {
  const seen = new Set<string>();
  const problems = strings.flatMap(({ uniqId }, index) => {
    if (uniqId === undefined) return [];
    const isRepeated = seen.has(uniqId);
    seen.add(uniqId);
    return isRepeated
      ? [{ path: `strings[${index}].uniqId`, message: `is "${uniqId}", as that of an earlier string` }]
      : [];
  });
  if (problems.length > 0) throw invalid(name, "has a uniqId twice", problems);
}

async function completeFixture(
  file: string,
  fixture: ShortFixture,
  context: SimulatorContext,
  choices: ChoiceReader,
): Promise<ImportJob> {
  const { organization } = context.config;
  const project = findProject(file, fixture, context.config.projects);
  const directory = path.dirname(file);
  const sourceFile = fixture.file.path === undefined ? null : path.resolve(directory, fixture.file.path);
  const strings = fixture.strings ?? (await readStrings(path.resolve(directory, fixture.stringsFile ?? ""), file));
  refuseRepeatedIds(file, strings);
  return jobOf({
    fixture,
    fileName: fixture.file.name ?? path.basename(fixture.file.path ?? ""),
    content:
      sourceFile === null
        ? (fixture.file.content ?? "")
        : (await readUserFile(sourceFile, `${file}: file.path`)).toString("base64"),
    strings,
    organization,
    project,
    sourceLanguage: language(file, "sourceLanguage", fixture.sourceLanguage ?? project.sourceLanguage),
    targetLanguages: (fixture.targetLanguages ?? []).map((id, index) =>
      language(file, `targetLanguages[${index}]`, id),
    ),
    baseUrl: context.baseUrl(),
    jobType: choices.get("wire.jobType"),
  });
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
    `fixture ${file}: ${where} "${id}" is not a known language id.${didYouMean(id, languageIds)}`,
    "a language that app-sim does not know can be given as an object in a whole wire job",
  );
}

/** A JSON array of strings, or one string per line (newline-delimited JSON). */
async function readStrings(stringsFile: string, fixture: string): Promise<ShortString[]> {
  const what = `${fixture}: stringsFile`;
  // Each byte one character, so that every line can be given to the parser as the bytes that it is.
  const text = (await readUserFile(stringsFile, what)).toString("latin1");
  const input = text.trimStart().startsWith("[")
    ? await readJsonFile(stringsFile, what)
    : parseLines(text, stringsFile);
  const parsed = shortStringsSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(
    stringsFile,
    "holds strings that are not valid",
    problemsOf(parsed.error, input, () => stringKeys),
  );
}

function parseLines(text: string, file: string): unknown[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const parsed = parseJson(Buffer.from(line, "latin1"));
    if (parsed.ok) return [parsed.value];
    throw new UsageError(
      "not-json",
      `${file}, line ${index + 1}: ${parsed.reason.replace("the body", "the line")}`,
      "one JSON object per line",
    );
  });
}

const stringKeys = Object.keys(shortStringsSchema.element.shape);

function keysAt(path: string): readonly string[] {
  if (path === "") return Object.keys(shortFixtureSchema.shape);
  return path === "file" ? Object.keys(shortFixtureSchema.shape.file.shape) : stringKeys;
}

function invalid(file: string, what: string, problems: UsageError["problems"]): UsageError {
  return new UsageError(
    "fixture-invalid",
    `${file} ${what}`,
    "a fixture is a whole job or the short form; `app-sim post-import --help` shows both",
    problems,
  );
}
