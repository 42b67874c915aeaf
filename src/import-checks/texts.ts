import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, sentStrings } from "./check.ts";
import { effectOf } from "./effect.ts";
import { previewOf, readImport } from "./reading.ts";
import { EMPTY_FORMS, pairsOf, type ReturnedString, surveyCheck, surveyed } from "./survey.ts";

/** Texts after a change that no app makes on purpose, by its name. */
const garblings: Readonly<Record<string, (text: string) => string | null>> = {
  "was read as Latin-1": (text) => Buffer.from(text).toString("latin1"),
  "lost what is not ASCII": (text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, "?"),
  "lost what is not ASCII ": (text) => text.replaceAll(/[\u0080-\uffff]/g, "?"),
  "was written without what is not ASCII": (text) => text.replaceAll(/[\u0080-\uffff]/g, ""),
  "was escaped twice": (text) => JSON.stringify(text).slice(1, -1),
  "lost its backslashes": (text) => text.replaceAll(/\\(.?)/gs, "$1"),
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
  return found?.[0].trim() ?? (hasLostLetters(sent, came) ? "lost letters in its middle" : null);
}

/** Whether letters that are not ASCII are gone, and nothing else but spaces has changed. */
function hasLostLetters(sent: string, came: string): boolean {
  const before = [...sent.replaceAll(/\s/gu, "")];
  const after = [...came.replaceAll(/\s/gu, "")];
  if (before.slice(0, after.length).join("") === after.join("")) return false;
  const missing: string[] = [];
  let next = 0;
  for (const letter of before) {
    if (letter === after[next]) next += 1;
    else missing.push(letter);
  }
  return next === after.length && missing.every((letter) => /[^\P{L}A-Za-z]/u.test(letter));
}

const CUT_CHARACTERS = 100;

/** Whether the end of a text is gone. */
export function isShortened({ before, after }: ReturnedString): boolean {
  if (typeof before.text !== "string" || typeof after.text !== "string") return false;
  const missing = before.text.trim().length - after.text.trim().length;
  return missing > CUT_CHARACTERS && after.text.trim() !== "" && before.text.trim().startsWith(after.text.trim());
}

/** Strings of each usual kind, with the required fields only. */
const REFERENCE = "required";
/** Jobs whose strings are alike for whoever does not look at single characters. */
const alikeRoles = ["unicode", "alike"];
/** Whether an app may have reason to leave the string out. */
const isBlank = ({ text }: StringRecord) => typeof text === "string" && text.trim() === "";

/** The strings of a job that did not come back; null: they cannot be told. */
function missingFrom(evidence: Evidence, role: string): readonly StringRecord[] | null {
  const answered = readImport(evidence, role);
  if (answered?.verdict?.kind !== "strings" || answered.strings === null) return null;
  // Which of the strings it was that came broken, nobody can say.
  if (answered.findings.some(({ check }) => check === "import.string.shape")) return null;
  const came = new Set(answered.strings.map(({ uniqId }) => uniqId));
  return sentStrings(answered).filter(({ uniqId }) => !came.has(uniqId));
}

/** Whether all that came back of a job was changed. */
function isAllChanged(evidence: Evidence, role: string): boolean {
  const answered = readImport(evidence, role);
  const effect = answered && effectOf(answered, sentStrings(answered));
  return effect != null && effect.returned === effect.changed.size;
}

/** Every text of a string by its place: its source text and translations, each plural category by itself. */
function textsOf({ text, translations }: StringRecord): Map<string, string> {
  const all: (readonly [place: string, text: StringRecord["text"]])[] = [
    ["the text", text],
    ...Object.entries(translations ?? {}).map(([id, { text: each }]) => [`the text in ${id}`, each] as const),
  ];
  return new Map(
    all.flatMap(([place, each]) =>
      typeof each === "string"
        ? [[place, each] as const]
        : Object.entries(each).map(([category, one]) => [`${place} for "${category}"`, one] as const),
    ),
  );
}

/** What of a text of ours says where it belongs. */
const tellingPart = (text: string) => text.replace("%d", "").trim().toLowerCase();

/** Where a text came back that holds what belongs to another place, and not what belongs there; or null. */
function misplacedIn(sent: ReadonlyMap<string, string>, came: ReadonlyMap<string, string>): string | null {
  for (const [place, text] of came) {
    const own = tellingPart(sent.get(place) ?? "");
    const isOwn = text.toLowerCase().includes(own);
    const others = [...sent.values()].map(tellingPart).filter((other) => !own.includes(other));
    if (!isOwn && others.some((other) => text.toLowerCase().includes(other))) return place;
  }
  return null;
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
      const returnsAll = missingFrom(evidence, REFERENCE)?.length === 0;
      for (const role of Object.keys(surveyed)) {
        const missing = (missingFrom(evidence, role) ?? []).filter((record) => !isBlank(record));
        if (missing.length === 0) continue;
        // An app may give back just what it changed; but not where it gave back every string of another job.
        if (!returnsAll && (!alikeRoles.includes(role) || isAllChanged(evidence, role))) continue;
        return faulty(check, `of ${surveyed[role]?.what}, "${missing[0]?.identifier}" did not come back`);
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.text.zero",
      title: "A plural form that is 0 does not come back empty",
      section: "2.5",
      severity: "should",
      why: "Careless code takes 0 for nothing. The form is lost, and whoever reads the program sees a blank in its place.",
      mend: 'Compare texts with "", and with nothing else, where they may be empty.',
    },
    (check, evidence) => {
      for (const { before, after } of pairsOf(evidence, [EMPTY_FORMS])) {
        const came = textsOf(after);
        for (const [place, text] of textsOf(before)) {
          if (text === "0" && came.get(place)?.trim() === "") {
            return faulty(check, `${place} of "${before.identifier}" came back empty`);
          }
        }
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.text.own",
      title: "No text comes back in the place of another",
      section: "2.5",
      severity: "should",
      why: "A text in the wrong place is wrong for whoever reads it, and looks right to whoever imports it. The one that belongs there is lost.",
      mend: "Change each text by itself: of each string, each language, and each plural category.",
    },
    (check, evidence) => {
      for (const { before, after } of pairsOf(evidence, Object.keys(surveyed))) {
        const place = misplacedIn(textsOf(before), textsOf(after));
        if (place !== null) return faulty(check, `${place} of "${before.identifier}" is that of another place`);
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
