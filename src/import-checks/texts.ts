import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, sentStrings } from "./check.ts";
import { effectOf } from "./effect.ts";
import { readImport } from "./reading.ts";
import { EMPTY_FORMS, pairsOf, type ReturnedString, surveyCheck, surveyed } from "./survey.ts";

/** Texts after wrong decoding or encoding, by name. */
const misreadings: Readonly<Record<string, (text: string) => string | null>> = {
  "was decoded as Latin-1": (text) => Buffer.from(text).toString("latin1"),
  "was encoded as Latin-1": (text) => Buffer.from(text, "latin1").toString(),
  "lost its non-ASCII characters": (text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, "?"),
  "lost what is not ASCII ": (text) => text.replaceAll(/[\u0080-\uffff]/g, "?"),
};

/** Texts after changes that no app makes on purpose, by name. */
const garblings: typeof misreadings = {
  ...misreadings,
  // An app may remove invisible characters on purpose.
  "was written without its non-ASCII characters": (text) =>
    /[^\p{ASCII}\p{Cc}\p{Cf}\p{Z}]/u.test(text) ? text.replaceAll(/[\u0080-\uffff]/g, "") : null,
  "was escaped twice": (text) => JSON.stringify(text).slice(1, -1),
  "lost its backslashes": (text) => text.replaceAll(/\\(.?)/gs, "$1"),
  "has numbers of characters (&#…;) instead of them": (text) =>
    text.replaceAll(/[\u0080-\u{10ffff}]/gu, (letter) => `&#${letter.codePointAt(0)};`),
  "has \\u instead of characters": (text) =>
    text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

const compatibleForms = ["NFKC", "NFKD"] as const;

/**
 * The characters that compatibility normalization replaced in a text, as the end of a sentence; null: none. Some apps may
 * do that on purpose, but it loses what the text says.
 */
function simplificationOf({ before, after }: ReturnedString): string | null {
  if (typeof before.text !== "string" || typeof after.text !== "string") return null;
  const [sent, came] = [before.text.trim(), after.text.trim()];
  const form = compatibleForms.find((each) => came === sent.normalize(each).trim());
  if (form === undefined || came.normalize("NFC") === sent.normalize("NFC")) return null;
  const replaced = [...sent].filter(
    (letter) => letter.trim() !== "" && letter.normalize(form) !== letter.normalize("NFD"),
  );
  const shown = replaced.slice(0, SHOWN_LETTERS).map((letter) => `${letter} became ${letter.normalize(form)}`);
  return `was normalized to ${form}: ${shown.join(", ")}`;
}

const SHOWN_LETTERS = 3;

/** How a text was garbled in a way that no app does on purpose, as the end of a sentence; null: it was not. */
export function garblingOf({ before, after }: ReturnedString): string | null {
  if (typeof before.text !== "string" || typeof after.text !== "string" || before.text === after.text) return null;
  const [sent, came] = [before.text, after.text];
  return nameOfChange(garblings, sent, came) ?? (hasLostLetters(sent, came) ? "lost letters in its middle" : null);
}

/** The first of the changes that turns what was sent into what came back; null: none. */
function nameOfChange(changes: typeof misreadings, sent: string, came: string): string | null {
  if (came.includes("�") || /[\ud800-\udfff]/u.test(came)) return "has broken characters in it";
  if (withoutSpaces(came) === withoutSpaces(sent)) return null;
  const found = Object.entries(changes).find(([, changed]) => {
    const other = changed(sent);
    return other !== null && other !== sent && withoutSpaces(other) === withoutSpaces(came);
  });
  return found?.[0].trim() ?? null;
}

/** What is left of a text in which an app may also have changed the white space. */
function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, "");
}

/**
 * Which field besides the text was decoded or encoded wrongly, and how, as a sentence; null: none. An app may rewrite them
 * all, so only what no program writes on purpose counts.
 */
function misreadField({ before, after }: ReturnedString): string | null {
  const labels = after.labels?.filter((label) => before.labels?.includes(label) !== true) ?? [];
  const pairs = [
    ["identifier", before.identifier, after.identifier],
    ["context", before.context, after.context],
    ...(before.labels ?? []).flatMap((sent) => labels.map((came) => [`label "${sent}"`, sent, came] as const)),
  ] as const;
  for (const [field, sent, came] of pairs) {
    const how = sent == null || came == null || sent === came ? null : nameOfChange(misreadings, sent, came);
    if (how !== null) return `the ${field} of "${before.identifier}" ${how}`;
  }
  return null;
}

/** Whether non-ASCII letters are gone, and nothing else except spaces has changed. */
function hasLostLetters(sent: string, came: string): boolean {
  const before = [...withoutSpaces(sent)];
  const after = [...withoutSpaces(came)];
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
const CUT_FIELD_CHARACTERS = 20;

/** Whether the end of a text is gone. */
export function isShortened({ before, after }: ReturnedString): boolean {
  if (typeof before.text !== "string" || typeof after.text !== "string") return false;
  const missing = before.text.trim().length - after.text.trim().length;
  return missing > CUT_CHARACTERS && after.text.trim() !== "" && before.text.trim().startsWith(after.text.trim());
}

/** Which field besides the text lost its end, as a sentence; null: none. */
function cutField({ before, after }: ReturnedString): string | null {
  const fields = [
    ["the identifier", before.identifier, after.identifier],
    ["the context", before.context ?? "", after.context ?? ""],
  ] as const;
  const cut = fields.find(
    ([, sent, came]) => came !== "" && sent.startsWith(came) && sent.length - came.length > CUT_FIELD_CHARACTERS,
  );
  return cut === undefined ? null : `of ${cut[0]}, ${cut[2].length} of ${cut[1].length} characters came back`;
}

/** Strings of each usual kind, with the required fields only. */
const REFERENCE = "required";
/** Jobs whose strings are alike for code that does not look at single characters. */
const alikeRoles = ["unicode", "alike"];
/** Whether an app may have a reason to omit the string. */
const isBlank = ({ text }: StringRecord) => typeof text === "string" && text.trim() === "";

/** The strings of a job that did not come back; null: unknown. */
function missingFrom(evidence: Evidence, role: string): readonly StringRecord[] | null {
  const answered = readImport(evidence, role);
  if (answered?.verdict?.kind !== "strings" || answered.strings === null) return null;
  // It is unknown which of the strings came back broken.
  if (answered.findings.some(({ check }) => check === "import.string.shape")) return null;
  const came = new Set(answered.strings.map(({ uniqId }) => uniqId));
  return sentStrings(answered).filter(({ uniqId }) => !came.has(uniqId));
}

/** Whether every returned string of a job was changed. */
function isAllChanged(evidence: Evidence, role: string): boolean {
  const answered = readImport(evidence, role);
  const effect = answered && effectOf(answered, sentStrings(answered));
  return effect != null && effect.returned === effect.changed.size;
}

/** Every text of a string by place: source text and translations, each plural category separately. */
export function textsOf({ text, translations }: StringRecord): Map<string, string> {
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

/** The part of our texts that marks their place. */
const tellingPart = (text: string) => text.replace("%d", "").trim().toLowerCase();

/** The place where a text from another place came back instead; null: none. */
function misplacedIn(sent: ReadonlyMap<string, string>, came: ReadonlyMap<string, string>): string | null {
  for (const [place, text] of came) {
    const own = tellingPart(sent.get(place) ?? "");
    const isOwn = text.toLowerCase().includes(own);
    const others = [...sent.values()].map(tellingPart).filter((other) => !own.includes(other));
    if (!isOwn && others.some((other) => text.toLowerCase().includes(other))) return place;
  }
  return null;
}

const KEEP_CHARACTERS =
  "Normalize texts to NFC, if at all: NFKC replaces characters such as ½, ² and ™, so that 1½ becomes 11⁄2.";

/** Checks of the texts that come back (hardening I5). */
export const importTextChecks: readonly ImportCheck[] = [
  surveyCheck(
    {
      id: "import.text.encoding",
      title: "Texts, identifiers, contexts and labels come back in the encoding in which they were sent",
      section: "2.5",
      why: "Texts in most languages of the world become unreadable. Tests in English do not show it.",
      fix: "Read and write UTF-8 everywhere, and escape only once.",
    },
    (check, evidence) => {
      for (const pair of pairsOf(evidence, ["unicode", "escapes", "multilingual", "upload"])) {
        const garbled = garblingOf(pair);
        if (garbled !== null) return faulty(check, `the text of "${pair.before.identifier}" ${garbled}`);
        const misread = misreadField(pair);
        if (misread !== null) return faulty(check, misread);
      }
      for (const pair of pairsOf(evidence, ["unicode"])) {
        const simplified = simplificationOf(pair);
        if (simplified === null) continue;
        return {
          result: "warn",
          reason: `the text of "${pair.before.identifier}" ${simplified}`,
          hint: KEEP_CHARACTERS,
        };
      }
      return PASSED;
    },
  ),
  surveyCheck(
    {
      id: "import.text.whole",
      title: "Long texts, identifiers and contexts come back complete",
      section: "2.5",
      severity: "should",
      why: "The end of the text is lost without notice. Translators work on only a part of it.",
      fix: "Do not truncate texts, and store them in fields that are large enough.",
    },
    (check, evidence) => {
      const pairs = pairsOf(evidence, ["edges"]);
      const pair = pairs.find(isShortened);
      if (pair !== undefined)
        return faulty(
          check,
          `${String(pair.after.text).length} of ${String(pair.before.text).length} characters came back`,
        );
      const [cut] = pairs.flatMap((each) => cutField(each) ?? []);
      return cut === undefined ? PASSED : faulty(check, cut);
    },
  ),
  surveyCheck(
    {
      id: "import.text.all",
      title: "Similar strings come back alike: all of them, or none",
      section: "2.4",
      severity: "should",
      why: "An omitted string may be removed from the project. Nobody learns why it is missing.",
      fix: "Store strings by uniqId, and return each of them.",
    },
    (check, evidence) => {
      const returnsAll = missingFrom(evidence, REFERENCE)?.length === 0;
      for (const role of Object.keys(surveyed)) {
        const missing = (missingFrom(evidence, role) ?? []).filter((record) => !isBlank(record));
        if (missing.length === 0) continue;
        // An app may return only its changes; but not if it returned every string of another job.
        if (!returnsAll && (!alikeRoles.includes(role) || isAllChanged(evidence, role))) continue;
        return faulty(check, `"${missing[0]?.identifier}" of ${surveyed[role]?.what} did not come back`);
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
      why: "Careless code treats 0 as nothing. The form is lost, and users of the translated program see a blank instead.",
      fix: 'Compare with "" to find empty texts (in JavaScript and PHP with ===), and do not test whether a text is truthy.',
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
      title: "No text comes back in place of another",
      section: "2.5",
      severity: "should",
      why: "A text in the wrong place misleads readers, but looks right during the import. The one that belongs there is lost.",
      fix: "Change each text separately: for each string, language and plural category.",
    },
    (check, evidence) => {
      for (const { before, after } of pairsOf(evidence, Object.keys(surveyed))) {
        const place = misplacedIn(textsOf(before), textsOf(after));
        if (place !== null) return faulty(check, `${place} of "${before.identifier}" belongs to another place`);
      }
      return PASSED;
    },
  ),
];
