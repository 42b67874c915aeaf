import { faulty, PASSED } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { isPrintedNoValue } from "../protocol/no-value.ts";
import type { ImportCheck } from "./check.ts";
import { shownValue } from "./kept-fields.ts";
import { pairsOf, surveyCheck, surveyed } from "./survey.ts";
import { textsOf } from "./texts.ts";

const isDate = (text: string) => /^\d{4}-\d\d-\d\d(T[\d:]+Z)?$/.test(text);

/** What programs write for a text that they took for a value. */
const readings: Readonly<Record<string, (text: string) => readonly string[]>> = {
  "was read as a number": (text) => [String(Number(text)), Number(text).toFixed(1)],
  "was read as a date": (text) => (isDate(text) ? [new Date(text).toISOString(), String(new Date(text))] : []),
};

/** How a text came back as another spelling of the value that it looks like, as the end of a sentence; null: it did not. */
export function readingOf(sent: string, came: string): string | null {
  if (sent.trim() === "" || came.trim() === sent.trim()) return null;
  const found = Object.entries(readings).find(([, read]) => read(sent.trim()).includes(came.trim()));
  return found === undefined ? null : `${found[0]}, and came back as ${shownValue(came)}`;
}

const literalCheck: ImportCheck = surveyCheck(
  {
    id: "import.text.literal",
    title: "A text that looks like a number or a date comes back as it was",
    section: "2.5",
    why: "The text is a string of the file: 1.50 is a price, and 007 is a name. As a number it is another text, in every language.",
    fix: "Keep texts as strings: convert nothing that only looks like a number or a date when you read or write JSON.",
  },
  (check, evidence) => {
    for (const { before, after } of pairsOf(evidence, ["literals", "edges"])) {
      const how = readingOf(String(before.text), String(after.text));
      if (how !== null) return faulty(check, `the text ${shownValue(before.text)} ${how}`);
    }
    return PASSED;
  },
);

/** What languages print for a missing value, and no person writes, not even as a part of a text. */
const tellingWords = /\bundefined\b|\[object Object\]/;

/** The place of a word that languages print for a missing value, where the sent string has no such word; null: none. */
export function missingWordIn(before: StringRecord, after: StringRecord): { place: string; text: string } | null {
  const places = new Map<string, string | null | undefined>([
    ["the identifier", after.identifier],
    ["the context", after.context],
    ["platformType", after.attributes?.platformType],
    ...(after.labels ?? []).map((label, index) => [`label ${index + 1}`, label] as const),
    ...textsOf(after),
  ]);
  const sent = JSON.stringify(before);
  for (const [place, text] of places) {
    if (text == null) continue;
    const word = isPrintedNoValue(text.trim()) ? text.trim() : tellingWords.exec(text)?.[0];
    if (word !== undefined && !sent.includes(word)) return { place, text };
  }
  return null;
}

const noValueCheck: ImportCheck = surveyCheck(
  {
    id: "import.kept.no-value",
    title: "What a string does not have does not come back as the word undefined, null or None",
    section: "2.5",
    severity: "should",
    why: "Translators see the word as a context or a label, and cannot know that it means nothing.",
    fix: "Leave out a field that has no value, and do not turn it into a string.",
  },
  (check, evidence) => {
    for (const { before, after, job } of pairsOf(evidence, Object.keys(surveyed))) {
      const found = missingWordIn(before, after);
      if (found === null) continue;
      const where = `in its answer to ${job}, ${found.place} of "${before.identifier}"`;
      return faulty(check, `${where} is ${shownValue(found.text)}`);
    }
    return PASSED;
  },
);

/** Checks that nothing comes back as a value that a program took it for. */
export const importMisreadValueChecks: readonly ImportCheck[] = [literalCheck, noValueCheck];
