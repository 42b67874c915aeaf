import type { Evidence } from "../checking/check.ts";
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

/** Records that are objects, but no strings, by role. */
const invalid: Readonly<Record<string, { readonly what: string; readonly record: object }>> = {
  "no-id": { what: "a record without uniqId", record: { identifier: MARK, text: `A text of ${MARK}` } },
  "text-number": {
    what: "a record whose text is a number",
    record: { uniqId: `${MARK}::1`, identifier: MARK, text: 42 },
  },
};

/** Sends files of strings, one record of which is no string. */
export async function submitInvalidRecords(tools: ImportTools): Promise<void> {
  for (const [role, { record }] of Object.entries(invalid)) {
    await submitByUrl(tools, role, linesOfStrings(validStrings().toSpliced(10, 0, record as never)));
  }
}

/**
 * The invalid record that an app left out without notice, as a part of a sentence; null: none. It may refuse the file,
 * return the record as it is, or return only the strings that it changed.
 */
export function skippedRecord(evidence: Evidence): string | null {
  const sent = validStrings();
  for (const [role, { what }] of Object.entries(invalid)) {
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
