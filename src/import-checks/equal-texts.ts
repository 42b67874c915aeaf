import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, importCheck, NOT_WHOLE, ofAnotherFile, sentStrings, withFileOf } from "./check.ts";
import { readImport } from "./reading.ts";
import { recordsOfTexts } from "./strings.ts";

const SENT = "sent";
/**
 * How often each text is sent. Patterns with a memory find the same text in each second or third copy, or not there; fewer
 * copies would look like that by chance, if an app draws some of its strings.
 */
const COPIES = 16;
/** Texts of the kinds that apps look for with patterns. */
const texts = [
  "<b>Bold</b>",
  "<br>",
  "{name}",
  "%s",
  "Hello {{name}}",
  "https://example.com",
  "OK",
  "42",
  "Hi  there ",
  "{0}",
  "%d",
  "%1$s",
  "Fish &amp; chips",
  "One line\nand another",
  "name@example.com",
  "TODO",
  "Plain words",
];
const SHOWN_CHARACTERS = 30;

/** Copies of each text, in a file that no other job has. */
function copiesFor(word: string): StringRecord[] {
  const all = texts.flatMap((text, row) =>
    Array.from({ length: COPIES }, (_, copy) => [`${word}.${row}.${copy}`, text]),
  );
  return recordsOfTexts(Object.fromEntries(all), word);
}

/** What became of a copy, without what names that copy; null: it did not come back. */
function treatmentOf(returned: readonly StringRecord[], { uniqId, identifier }: StringRecord): string | null {
  const record = returned.find((each) => each.uniqId === uniqId);
  return record === undefined
    ? null
    : JSON.stringify(record).replaceAll(uniqId, "…").replaceAll(String(identifier), "…");
}

/** Whether each second or third of the copies was treated differently; the first one follows another text. */
function alternate([, ...copies]: readonly (string | null)[]): boolean {
  const repeatsAfter = (period: number) =>
    copies.every((each, index) => index < period || each === copies[index - period]);
  return new Set(copies).size === 2 && [2, 3].some(repeatsAfter);
}

/** The check of an app whose patterns remember where they found something in the string before. */
export const equalTextsCheck: ImportCheck = importCheck(
  {
    id: "import.same.copies",
    title: "Copies of a text in one job are treated alike",
    section: "2.4",
    severity: "should",
    why: "In JavaScript, a pattern with the flag g remembers where it found something, and test() continues there in the next string. Some strings then get no label, or a wrong one.",
    fix: "Keep nothing between strings. In JavaScript, leave out the flag g where a pattern only tests, or make a new pattern for each string.",
  },
  {
    run: async (tools) => {
      const strings = copiesFor(`copies-${tools.number()}`);
      const change = ofAnotherFile(tools, (job) => ({ ...job, strings }));
      await tools.submit(SENT, await withFileOf(tools, strings).request(change));
    },
    judge: (evidence) => {
      const answered = readImport(evidence, SENT);
      if (answered?.verdict?.kind === "not-modified") return PASSED;
      if (answered?.verdict?.kind !== "strings" || answered.strings === null) return skipVerdict(NOT_WHOLE);
      const returned = answered.strings;
      const sent = sentStrings(answered);
      const treatments = (text: string) =>
        sent.filter((each) => each.text === text).map((each) => treatmentOf(returned, each));
      const unlike = texts.filter((text) => alternate(treatments(text)));
      // No pattern finds something in all of them.
      if (unlike.length === texts.length) return skipVerdict("the app counts strings, or treats them in turn");
      const [first] = unlike;
      if (first === undefined) return PASSED;
      const shown = clip(harmlessLine(first), SHOWN_CHARACTERS);
      return faulty(equalTextsCheck, `each second or third of ${COPIES} copies of "${shown}" was treated differently`);
    },
  },
);
