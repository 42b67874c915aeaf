import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, importCheck, NOT_WHOLE, ofAnotherFile, sentStrings, withFileOf } from "./check.ts";
import { readImport } from "./reading.ts";
import { recordsOfTexts } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

const [FIRST, AGAIN, REVERSED] = ["first", "again", "reversed"] as const;

/** Texts that code takes for one if it does not look them up by the whole text. */
interface AlikePair {
  /** How they are alike, in words. */
  readonly how: string;
  texts(word: string): readonly [one: string, other: string];
}

const pairs: readonly AlikePair[] = [
  { how: "that differs only in letter case", texts: (word) => [`Open ${word} Now`, `open ${word} now`] },
  { how: "that differs only in the spaces around it", texts: (word) => [`Close ${word}`, `  Close ${word} `] },
  { how: "that differs only in the spaces inside it", texts: (word) => [`Save ${word} file`, `Save  ${word}  file`] },
  {
    how: "that differs only in its Unicode normalization",
    texts: (word) => [`Caf\u00e9 ${word}`, `Cafe\u0301 ${word}`],
  },
  { how: "whose hash is the same in Java", texts: (word) => [`Aa ${word}`, `BB ${word}`] },
];

const SHOWN_CHARACTERS = 60;

/** Letters in place of digits: an app may treat the numbers in texts in a way of their own. */
function wordOfNumber(number: number): string {
  return `z${[...String(number)].map((digit) => "bcdfghjklm".charAt(Number(digit))).join("")}`;
}

/** Sends the pairs with a word that no other job has. */
async function submitPairs(tools: ImportTools, role: string, isReversed: boolean): Promise<void> {
  const word = wordOfNumber(tools.number());
  const all = pairs.flatMap(({ texts }) => texts(word)).map((text, index) => [`${word}.${index}`, text] as const);
  const records = recordsOfTexts(Object.fromEntries(all), word);
  const swapped = (index: number) => records[index % 2 === 0 ? index + 1 : index - 1];
  const strings = isReversed ? records.flatMap((_, index) => swapped(index) ?? []) : records;
  const change = ofAnotherFile(tools, (job) => ({ ...job, strings }));
  await tools.submit(role, await withFileOf(tools, strings).request(change));
}

/** What became of each string of a job, by its number, without the word of the job; null: unknown. */
function treatmentOf(evidence: Evidence, role: string): ReadonlyMap<number, string> | null {
  const answered = readImport(evidence, role);
  if (answered?.verdict?.kind === "not-modified") return new Map();
  if (answered?.verdict?.kind !== "strings" || answered.strings === null) return null;
  const [word = ""] = sentStrings(answered)[0]?.uniqId.split("::") ?? [];
  const isWord = new RegExp(word, "gi");
  const withoutWord = (record: StringRecord) => JSON.stringify(record).replaceAll(isWord, "…");
  return new Map(answered.strings.map((record) => [numberOf(record), withoutWord(record)]));
}

function numberOf({ uniqId }: StringRecord): number {
  return Number(uniqId.split("::")[1]);
}

/** The check of an app that looks texts up by less than the whole text, in one job or over several. */
export const alikeTextsCheck: ImportCheck = importCheck(
  {
    id: "import.same.alike",
    title: "Texts that only resemble one another are treated separately",
    section: "2.4",
    severity: "should",
    why: "A text that was seen first would replace others that only resemble it: one in capital letters, or with a space that a program needs.",
    fix: "Look texts up by the whole text, exactly as it is. Its hash only says where to look.",
  },
  {
    run: async (tools) => {
      await submitPairs(tools, FIRST, false);
      await submitPairs(tools, AGAIN, false);
      await submitPairs(tools, REVERSED, true);
    },
    judge: (evidence) => {
      const [first, again, reversed] = [FIRST, AGAIN, REVERSED].map((role) => treatmentOf(evidence, role));
      if (first == null || again == null || reversed == null) return skipVerdict(NOT_WHOLE);
      const numbers = pairs.flatMap((_, index) => [2 * index + 1, 2 * index + 2]);
      if (numbers.some((number) => first.get(number) !== again.get(number)))
        return skipVerdict("what it does to a text depends on the words in it");
      const changed = numbers.find((number) => first.get(number) !== reversed.get(number));
      if (changed === undefined) return PASSED;
      const how = pairs[Math.ceil(changed / 2) - 1]?.how;
      return faulty(
        alikeTextsCheck,
        `what becomes of ${textSent(evidence, changed)} depends on whether it comes before or after a text ${how}`,
      );
    },
  },
);

function textSent(evidence: Evidence, number: number): string {
  const answered = readImport(evidence, REVERSED);
  const record = answered && sentStrings(answered).find((each) => numberOf(each) === number);
  return `"${clip(harmlessLine(String(record?.text ?? "")), SHOWN_CHARACTERS)}"`;
}
