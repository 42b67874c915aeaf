import { callApp } from "../../app-client/call-app.ts";
import { explainFileStatus } from "../../app-client/explain-status.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { StringRecord } from "../../protocol/import-job.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { ImportContext } from "../import-context.ts";
import { forOccasion } from "../rules/occasion.ts";
import { fileRequest } from "./file-request.ts";
import { type Fixture, invalid, type RecordAt } from "./fixture.ts";
import { type JobStrings, stringsInMemory, stringsOnDisk } from "./job-strings.ts";
import { LinesFile } from "./lines-file.ts";
import { type NumberedValue, readLines, readLinesOf } from "./read-lines.ts";
import { wireRecordAt } from "./wire-fixture.ts";

/** Strings between two reports of progress. */
const PROGRESS_STRINGS = 1000;

/**
 * Loads the strings of a fixture as one of its jobs sends them. The caller closes them.
 * @param languages ids of the job's target languages, to omit other translations; null keeps all
 * @throws UsageError for a string that is not valid, a repeated uniqId, or an address without strings
 */
export async function loadStrings(
  context: ImportContext,
  choices: ChoiceReader,
  { name, strings }: Fixture,
  languages: readonly string[] | null,
): Promise<JobStrings> {
  const sent = (record: StringRecord) => (languages === null ? record : forOccasion(record, languages));
  const load = (lines: AsyncIterable<NumberedValue>, recordAt: RecordAt, source: string) => {
    let current = 0;
    const records = async function* () {
      let position = 0;
      for await (const { value, line } of lines) {
        // In that case nothing of the job is sent.
        if (context.signal?.aborted === true) return;
        current = line;
        if (position % PROGRESS_STRINGS === 0) context.onProgress({ what: "strings read", done: position });
        yield sent(recordAt(value, line, position++));
      }
    };
    return stringsOnDisk(records(), (uniqId) => repeated(source, `line ${current}: uniqId`, uniqId));
  };
  switch (strings.kind) {
    case "embedded":
      return stringsInMemory(strings.records.map(sent), (uniqId, position) =>
        repeated(name, `strings[${position}].uniqId`, uniqId),
      );
    case "file":
      return load(readLinesOf(strings.file), strings.recordAt, strings.file);
    case "url": {
      const { url } = strings;
      const file = new LinesFile();
      try {
        await download(context, choices, { fixture: name, url }, file);
        return await load(readLines(file.open(), url), wireRecordAt(url), url);
      } finally {
        file.close();
      }
    }
  }
}

/** Interface 2.5: uniqId is unique within the file. */
function repeated(what: string, path: string, uniqId: string): never {
  throw invalid(what, "has a repeated uniqId", [{ path, message: `is "${uniqId}", like that of an earlier string` }]);
}

interface StringsAddress {
  /** Name of the fixture that gives the address. */
  readonly fixture: string;
  readonly url: string;
}

/** Fetches the strings of a fixture that only gives their address: what the app changes is compared with them. */
async function download(
  context: ImportContext,
  choices: ChoiceReader,
  { fixture, url }: StringsAddress,
  file: LinesFile,
): Promise<void> {
  const sizeLimit = choices.get("postImport.fetch.size");
  const take = (chunk: Buffer) => file.append(chunk);
  const called = await callApp(context, {
    purpose: "import-file",
    module: null,
    ...fileRequest(choices, { url, sizeLimit, take }),
  });
  if (called.ok && called.answer.status === 200) return;
  throw new UsageError(
    "strings-unreachable",
    `${fixture}: stringsUrl ${url}: ${called.ok ? explainFileStatus(called.answer).reason : called.reason}`,
    "the strings are needed to show what the app changes: serve them, or name a file next to the fixture",
  );
}
