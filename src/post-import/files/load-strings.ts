import { callApp } from "../../app-client/call-app.ts";
import { explainFileStatus } from "../../app-client/read-answer.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { StringRecord } from "../../protocol/import-job.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { ImportContext } from "../import-context.ts";
import { forOccasion } from "../rules/occasion.ts";
import { type Fixture, invalid, type RecordAt } from "./fixture.ts";
import { type JobStrings, stringsInMemory, stringsOnDisk } from "./job-strings.ts";
import { createLinesFile, type LinesFile } from "./lines-file.ts";
import { type NumberedValue, readLines, readLinesOf } from "./read-lines.ts";
import { wireRecordAt } from "./wire-fixture.ts";

/** Strings that are read before it is told how many they are. */
const READ_BETWEEN_NEWS = 1000;

/**
 * The strings of a fixture as one of its jobs sends them. They are to be closed.
 * @param languages ids of the job's target languages, to leave the other translations out; null leaves all in
 * @throws UsageError for a string that is not valid, a uniqId that is there twice, or an address that gives no strings
 */
export async function loadStrings(
  context: ImportContext,
  choices: ChoiceReader,
  { name, strings }: Fixture,
  languages: readonly string[] | null,
): Promise<JobStrings> {
  const sent = (record: StringRecord) => (languages === null ? record : forOccasion(record, languages));
  if (strings.kind === "here") {
    return stringsInMemory(strings.records.map(sent), (uniqId, position) => {
      throw repeated(name, `strings[${position}].uniqId`, uniqId);
    });
  }
  if (strings.kind === "file") {
    return loadLines(context, readLinesOf(strings.file), strings.recordAt, sent, strings.file);
  }
  const file = createLinesFile();
  try {
    await download(context, choices, name, strings.url, file);
    const lines = readLines(file.open(), strings.url);
    return await loadLines(context, lines, wireRecordAt(strings.url), sent, strings.url);
  } finally {
    file.close();
  }
}

async function loadLines(
  context: ImportContext,
  lines: AsyncIterable<NumberedValue>,
  recordAt: RecordAt,
  sent: (record: StringRecord) => StringRecord,
  name: string,
): Promise<JobStrings> {
  let current = 0;
  const records = async function* () {
    let position = 0;
    for await (const { value, line } of lines) {
      // Then nothing of the job is sent.
      if (context.signal?.aborted === true) return;
      current = line;
      if (position % READ_BETWEEN_NEWS === 0) context.onProgress({ what: "strings read", done: position });
      yield sent(recordAt(value, line, position++));
    }
  };
  return stringsOnDisk(records(), (uniqId) => {
    throw repeated(name, `line ${current}: uniqId`, uniqId);
  });
}

/** Interface 2.5: uniqId is unique within the file. */
function repeated(what: string, path: string, uniqId: string): UsageError {
  return invalid(what, "has a uniqId twice", [{ path, message: `is "${uniqId}", as that of an earlier string` }]);
}

/** Fetches the strings that a fixture only gives the address of: what the app changes is compared with them. */
async function download(
  context: ImportContext,
  choices: ChoiceReader,
  fixture: string,
  url: string,
  file: LinesFile,
): Promise<void> {
  const called = await callApp(context, "import-file", null, {
    method: "GET",
    url,
    headers: [["Accept-Encoding", "identity"]],
    body: new Uint8Array(),
    timeoutMs: choices.get("postImport.fetch.timeout"),
    sizeLimit: choices.get("postImport.fetch.size"),
    take: file.append,
  });
  if (called.ok && called.answer.status === 200) return;
  throw new UsageError(
    "strings-unreachable",
    `${fixture}: stringsUrl ${url}: ${called.ok ? explainFileStatus(called.answer).reason : called.reason}`,
    "the strings are needed to show what the app changes: serve them, or name a file beside the fixture",
  );
}
