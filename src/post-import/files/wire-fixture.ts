import path from "node:path";
import type { z } from "zod";
import { type ImportJob, type StringRecord, stringRecordSchema } from "../../protocol/import-job.ts";
import { problemsOf } from "../../protocol/problems.ts";
import { isHttpUrl } from "../../protocol/url.ts";
import { type Fixture, type FixtureStrings, invalid, type RecordAt } from "./fixture.ts";
import { wireFixtureSchema } from "./fixture-shape.ts";
import { embeddedFile, fileAt, fileElsewhere, readHead } from "./source-file.ts";

/**
 * A whole wire job (interface 2.3) as it is, further fields and all. An address in it may be that of a file beside it.
 * @param file where it was read from, if it was
 * @throws UsageError naming the job and every problem
 */
export async function wireFixture(name: string, file: string | null, input: unknown): Promise<Fixture> {
  const parsed = wireFixtureSchema.safeParse(input);
  if (!parsed.success) throw invalid(name, "is not a valid job", problemsOf(parsed.error, input));
  const { strings, stringsUrl, file: source } = parsed.data;
  const problems = [
    ...oneOf("strings", "stringsUrl", strings, stringsUrl, ""),
    ...oneOf("content", "contentUrl", source.content, source.contentUrl, "file."),
  ];
  if (problems.length > 0) throw invalid(name, "is not a valid job", problems);
  const job = input as ImportJob;
  const directory = file === null ? process.cwd() : path.dirname(file);
  return {
    name,
    file,
    occasion: undefined,
    job,
    warnings: [],
    sourceFile: await wireFile(source, directory, name),
    strings: await wireStrings(job, stringsUrl ?? null, directory, name),
  };
}

async function wireFile(
  { name, content, contentUrl }: z.infer<typeof wireFixtureSchema>["file"],
  directory: string,
  fixture: string,
) {
  if (content != null) return embeddedFile(name, content);
  if (isHttpUrl(contentUrl ?? "")) return fileElsewhere(contentUrl ?? "");
  return fileAt(path.resolve(directory, contentUrl ?? ""), name, `${fixture}: file.contentUrl`);
}

async function wireStrings(
  job: ImportJob,
  stringsUrl: string | null,
  directory: string,
  fixture: string,
): Promise<FixtureStrings> {
  if (stringsUrl === null) return { kind: "here", records: job.strings ?? [] };
  if (isHttpUrl(stringsUrl)) return { kind: "elsewhere", url: stringsUrl };
  const file = path.resolve(directory, stringsUrl);
  // What cannot be read is told of before anything is sent.
  await readHead(file, `${fixture}: stringsUrl`);
  return { kind: "file", file, recordAt: wireRecordAt(file) };
}

/** Makes a record of a line that holds a whole one (interface 2.5). */
export function wireRecordAt(file: string): RecordAt {
  return (value, line) => {
    const parsed = stringRecordSchema.safeParse(value);
    if (parsed.success) return value as StringRecord;
    throw invalid(`${file}, line ${line}`, "is not a valid string", problemsOf(parsed.error, value));
  };
}

function oneOf(name: string, other: string, value: unknown, otherValue: unknown, before: string) {
  const isMissing = (value ?? null) === null;
  if (isMissing !== ((otherValue ?? null) === null)) return [];
  const path = `${before}${name}`;
  return isMissing
    ? [{ path, message: `is missing, and so is ${before}${other}` }]
    : [{ path, message: `is given beside ${before}${other}, which it is an alternative to` }];
}
