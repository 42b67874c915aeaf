import { faulty, PASSED } from "../checking/verdict.ts";
import { type ImportCheck, sentStrings } from "./check.ts";
import { effectOf } from "./effect.ts";
import { previewOf, readImport } from "./reading.ts";
import { pairsOf, type ReturnedString, surveyCheck, surveyed } from "./survey.ts";

/** Texts after a change that no app makes on purpose, by its name. */
const garblings: Readonly<Record<string, (text: string) => string | null>> = {
  "was read as Latin-1": (text) => Buffer.from(text).toString("latin1"),
  "lost what is not ASCII": (text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, "?"),
  "lost what is not ASCII ": (text) => text.replaceAll(/[\u0080-\uffff]/g, "?"),
  "was written without what is not ASCII": (text) => text.replaceAll(/[\u0080-\uffff]/g, ""),
  "was escaped twice": (text) => JSON.stringify(text).slice(1, -1),
  "has \\u in place of characters": (text) =>
    text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/** What a text went through that no app does on purpose, as the end of a sentence; null: nothing of the kind. */
export function garblingOf({ before, after }: ReturnedString): string | null {
  if (typeof before.text !== "string" || typeof after.text !== "string" || before.text === after.text) return null;
  const [sent, came] = [before.text, after.text];
  if (came.includes("�") || /[\ud800-\udfff]/u.test(came)) return "has broken characters in it";
  const found = Object.entries(garblings).find(([, garbled]) => {
    const other = garbled(sent);
    return other !== null && other !== sent && other.trim() === came.trim();
  });
  return found?.[0].trim() ?? null;
}

const CUT_CHARACTERS = 100;

/** Whether the end of a text is gone. */
export function isShortened({ before, after }: ReturnedString): boolean {
  if (typeof before.text !== "string" || typeof after.text !== "string") return false;
  const missing = before.text.trim().length - after.text.trim().length;
  return missing > CUT_CHARACTERS && after.text.trim() !== "" && before.text.trim().startsWith(after.text.trim());
}

/** Checks of the texts that come back (hardening I5). */
export const importTextChecks: readonly ImportCheck[] = [
  surveyCheck(
    {
      id: "import.text.encoding",
      title: "Texts come back in the characters in which they came",
      section: "2.5",
      why: "Texts in most languages of the world become unreadable. Nobody sees it in a test with English.",
      mend: "Read and write UTF-8 throughout, and escape once.",
    },
    (check, evidence) => {
      for (const pair of pairsOf(evidence, ["unicode", "escapes", "multilingual", "upload"])) {
        const garbled = garblingOf(pair);
        if (garbled !== null) return faulty(check, `the text of "${pair.before.identifier}" ${garbled}`);
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.text.whole",
      title: "Long texts come back in whole",
      section: "2.5",
      severity: "should",
      why: "The end of the text is gone, and nothing says so. Translators work on a part of it.",
      mend: "Do not cut texts, and store them in fields that have room for them.",
    },
    (check, evidence) => {
      const pair = pairsOf(evidence, ["edges"]).find(isShortened);
      return pair === undefined
        ? PASSED
        : faulty(check, `of ${String(pair.before.text).length} characters ${String(pair.after.text).length} came back`);
    },
  ),
  surveyCheck(
    {
      id: "import.text.all",
      title: "Strings that are alike come back alike: all of them, or none",
      section: "2.4",
      severity: "should",
      why: "A string that is left out may be removed from the project. Nobody is told why this one is missing.",
      mend: "Keep strings by their uniqId, and give each of them back.",
    },
    (check, evidence) => {
      for (const role of ["unicode", "alike"]) {
        const answered = readImport(evidence, role);
        if (answered?.verdict?.kind !== "strings" || answered.strings === null) continue;
        const came = new Set(answered.strings.map(({ uniqId }) => uniqId));
        const missing = sentStrings(answered).filter(({ uniqId }) => !came.has(uniqId));
        // An app may give back just what it changed.
        const changed = effectOf(answered, sentStrings(answered))?.changed.size ?? 0;
        if (missing.length === 0 || came.size === changed) continue;
        return faulty(check, `of ${surveyed[role]?.what}, "${missing[0]?.identifier}" did not come back`);
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.preview.escaped",
      title: "A preview shows the texts of strings as texts, and runs no script from them",
      section: "2.4",
      severity: "should",
      why: "Whoever can upload a file then runs scripts in the editor of everybody who opens it. The platform may not keep the preview apart.",
      mend: "Escape `&`, `<`, `>` and quotes where a text becomes a part of the HTML.",
    },
    (check, evidence) => {
      const answered = readImport(evidence, "escapes");
      const html = answered === null ? null : previewOf(evidence, "escapes", answered);
      return html?.includes("a/b </script> <!-- -->") === true
        ? faulty(check, "the preview holds a text with tags in it as it is")
        : PASSED;
    },
  ),
];
