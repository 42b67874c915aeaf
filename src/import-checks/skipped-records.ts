import type { Evidence } from "../checking/check.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { submitByUrl } from "./check.ts";
import { effectOf } from "./effect.ts";
import { keptContent, readImport, STRINGS_OF } from "./reading.ts";
import { linesOfStrings, recordsOfTexts } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** Strings of which apps change some, and leave others as they are. */
const validStrings = () =>
  recordsOfTexts(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `valid.${index}`,
        index % 2 === 0 ? `Sentence ${index}` : ` Text ${index} `,
      ]),
    ),
  );

/** What shows whether the invalid record came back, whatever is left of it. */
const MARK = "zqinvalidrecordxv";

/** Where the invalid record is. */
const PLACE = 10;
const alone = (record: object) => (lines: string[]) => lines.toSpliced(PLACE, 0, JSON.stringify(record));
const marked = { identifier: MARK, text: `A text of ${MARK}` };

/** Records that are objects, but no strings, or no lines, by role; and how each gets into the lines of a file. */
const invalid: Readonly<Record<string, { readonly what: string; readonly insert: (lines: string[]) => string[] }>> = {
  "no-id": { what: "a record without uniqId", insert: alone(marked) },
  "text-number": {
    what: "a record whose text is a number",
    insert: alone({ uniqId: `${MARK}::1`, identifier: MARK, text: 42 }),
  },
  "second-in-line": {
    what: "the second of two records in one line",
    insert: (lines) => lines.with(PLACE, `${lines[PLACE]}${JSON.stringify({ uniqId: `${MARK}::2`, ...marked })}`),
  },
};

/** The end of the role of a job that holds the records itself. */
const INLINE = "-inline";

/** Sends files of strings, one record of which is no string, and jobs that hold such strings themselves. */
export async function submitInvalidRecords(tools: ImportTools): Promise<void> {
  const lines = linesOfStrings(validStrings()).trimEnd().split("\n");
  for (const [role, { insert }] of Object.entries(invalid)) {
    const inserted = insert(lines);
    await submitByUrl(tools, role, `${inserted.join("\n")}\n`);
    // Two records in one line are possible only in a file.
    if (inserted.length === lines.length) continue;
    const strings = inserted.map((line) => JSON.parse(line) as StringRecord);
    await tools.submit(role + INLINE, await tools.request((job) => ({ ...job, strings })));
  }
}

/**
 * The invalid record that an app left out without notice, as a part of a sentence; null: none. It may refuse the file,
 * return the record as it is, or return only the strings that it changed.
 */
export function skippedRecord(evidence: Evidence): string | null {
  const sent = validStrings();
  const places = Object.entries(invalid).flatMap(([role, { what }]) => [
    { role, what },
    { role: role + INLINE, what: `${what}, sent inline` },
  ]);
  for (const { role, what } of places) {
    const answered = readImport(evidence, role, sent);
    const effect = answered && effectOf(answered, sent);
    if (answered?.reply.kind !== "accepted" || effect === null) continue;
    const returnsUnchanged = effect.omitted?.size === 0 && effect.changed.size < sent.length;
    const file = evidence.steps.find((step) => step.role === role + STRINGS_OF)?.exchange;
    const came = keptContent(file ?? answered.exchange).bytes;
    if (returnsUnchanged && !came.toString().toLowerCase().includes(MARK)) return what;
  }
  return null;
}
