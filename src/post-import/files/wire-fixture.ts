import path from "node:path";
import { referencedFile } from "../../config/referenced-file.ts";
import { type ImportJob, type StringRecord, stringRecordSchema } from "../../protocol/import-job.ts";
import { problemsOf } from "../../protocol/problems.ts";
import { isHttpUrl } from "../../protocol/url.ts";
import { type Fixture, type FixtureStrings, invalid, type RecordAt } from "./fixture.ts";
import { wireFixtureSchema } from "./fixture-shape.ts";
import { embeddedFile, fileAt, fileElsewhere, readHead } from "./source-file.ts";

interface WireOptions {
  /** Other directories that may hold the job's files, apart from the fixture's. */
  readonly allowed: readonly string[];
  /** The `jobType` sent instead of the job's own or a missing one. */
  readonly jobTypeFor: (given: string | undefined) => string;
}

/**
 * A complete job (interface 2.3) as it is, including unknown fields, except for its `jobType`. An address in it may be
 * a file next to it.
 * @param file where it was read from, if it was
 * @throws UsageError naming the job and every problem
 */
export async function wireFixture(
  name: string,
  file: string | null,
  input: unknown,
  { allowed, jobTypeFor }: WireOptions,
): Promise<Fixture> {
  const parsed = wireFixtureSchema.safeParse(input);
  if (!parsed.success) throw invalid(name, "is not a valid job", problemsOf(parsed.error, input));
  const { strings, stringsUrl, file: source } = parsed.data;
  const { content, contentUrl } = source;
  const problems = [
    ...oneOf(["strings", strings], ["stringsUrl", stringsUrl]),
    ...oneOf(["file.content", content], ["file.contentUrl", contentUrl]),
  ];
  if (problems.length > 0) throw invalid(name, "is not a valid job", problems);
  const given = input as ImportJob & { readonly jobType?: string };
  const job: ImportJob = { ...given, jobType: jobTypeFor(given.jobType) };
  const isOther = given.jobType !== undefined && given.jobType !== job.jobType;
  const directory = file === null ? process.cwd() : path.dirname(file);
  const here = (named: string, what: string) => referencedFile({ name: named, directory, what, allowed });
  const sourceFile =
    content != null
      ? embeddedFile(source.name, content)
      : isHttpUrl(contentUrl ?? "")
        ? fileElsewhere(contentUrl ?? "")
        : await fileAt(
            await here(contentUrl ?? "", `${name}: file.contentUrl`),
            source.name,
            `${name}: file.contentUrl`,
          );
  const jobStrings = stringsUrl == null ? null : await stringsAt(stringsUrl, here, name);
  return {
    name,
    file,
    occasion: undefined,
    job,
    warnings: isOther
      ? [`${name}: jobType is sent as ${job.jobType} (choice wire.jobType), not ${given.jobType}; --as-is keeps it`]
      : [],
    sourceFile,
    strings: jobStrings ?? { kind: "embedded", records: job.strings ?? [] },
  };
}

async function stringsAt(
  url: string,
  here: (named: string, what: string) => Promise<string>,
  fixture: string,
): Promise<FixtureStrings> {
  if (isHttpUrl(url)) return { kind: "url", url };
  const what = `${fixture}: stringsUrl`;
  const file = await here(url, what);
  // A file that cannot be read is reported before anything is sent.
  await readHead(file, what);
  return { kind: "file", file, recordAt: wireRecordAt(file) };
}

/** Makes a record from a line with a complete one (interface 2.5). */
export function wireRecordAt(file: string): RecordAt {
  return (value, line) => {
    const parsed = stringRecordSchema.safeParse(value);
    if (parsed.success) return value as StringRecord;
    throw invalid(`${file}, line ${line}`, "is not a valid string", problemsOf(parsed.error, value));
  };
}

/** The problem if not exactly one of two members is given. */
function oneOf([path, value]: [string, unknown], [other, otherValue]: [string, unknown]) {
  const isMissing = value == null;
  if (isMissing !== (otherValue == null)) return [];
  const message = isMissing ? `is missing, and so is ${other}` : `is given together with its alternative ${other}`;
  return [{ path, message }];
}
