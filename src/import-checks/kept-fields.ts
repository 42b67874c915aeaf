import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import type { ImportCheck, ImportFacts } from "./check.ts";
import { LABELS, pairsOf, type ReturnedString, surveyCheck } from "./survey.ts";

const lostWork = "Data from the file is gone after the import. Somebody must notice, and restore it.";

const spread = "Start from the received record, and change only what should change.";

const detailedRoles = ["upload", "translation", "multilingual", "plurals"];

/** Whether the value of a field is gone; null if it had none. */
type IsLost = (pair: ReturnedString) => boolean | null;

/**
 * A check that a field is not lost in all strings that had it: an app may have a reason to empty it in some.
 * @param field what to show of a string
 * @param roles the jobs whose strings may have it
 */
function keptCheck(
  facts: ImportFacts,
  field: (record: StringRecord) => unknown,
  lost: IsLost,
  roles = detailedRoles,
): ImportCheck {
  return surveyCheck({ section: "2.5", severity: "should", ...facts }, (check, evidence) => {
    const fault = lostInAll(evidence, roles, lost);
    if (fault === null) return PASSED;
    const { before, after } = fault.example;
    const example = `"${before.identifier}" had ${shownValue(field(before))}, and came back with ${shownValue(field(after))}`;
    return faulty(check, `${fault.where}, ${every(fault.count)} that had it lost it: ${example}`);
  });
}

/** A field that is missing or null has no value (interface 2.5). */
export function shownValue(value: unknown): string {
  return value === undefined || value === null ? "none" : clip(harmlessLine(JSON.stringify(value)), 80);
}

const every = (count: number) => (count === 1 ? "the one string" : `all ${count} strings`);

/** The first of these jobs in whose answer all strings of a kind lost what they had; null: none. */
function lostInAll(evidence: Evidence, roles: readonly string[], lost: IsLost) {
  for (const role of roles) {
    const pairs = pairsOf(evidence, [role]).filter((pair) => lost(pair) !== null);
    // Changed strings are rewritten, others may be copied, and plurals have separate code.
    for (const some of [pairs.filter(isRewritten), pairs.filter(({ before }) => before.hasPlurals === true), pairs]) {
      const [example] = some;
      if (example !== undefined && some.every((pair) => lost(pair) === true)) {
        return { where: `in its answer to ${example.job}`, count: some.length, example };
      }
    }
  }
  return null;
}

function isRewritten({ before, after }: ReturnedString): boolean {
  return (
    JSON.stringify(before.text) !== JSON.stringify(after.text) ||
    (before.isHidden === true) !== (after.isHidden === true)
  );
}

function lostTranslations({ before, after }: ReturnedString): boolean | null {
  const had = Object.keys(before.translations ?? {});
  return had.length === 0 ? null : !had.every((id) => Object.hasOwn(after.translations ?? {}, id));
}

type Translation = NonNullable<StringRecord["translations"]>[string];

/** The forms of a translation with their statuses; a plain text is a single form. */
function formsWithStatus({
  text,
  status,
}: Translation): Map<string, { readonly form: string; readonly status: string }> {
  const forms = typeof text === "string" ? [["", text] as const] : Object.entries(text);
  const statusOf = (category: string) => (typeof status === "object" ? status?.[category] : status) ?? "translated";
  return new Map(forms.map(([category, form]) => [category, { form, status: statusOf(category) }]));
}

/** Whether a form of a translation that has one of these statuses came back unchanged, but with another one. */
const lostStatus =
  (statuses: readonly string[]): IsLost =>
  ({ before, after }) => {
    const [language, translation] = Object.entries(before.translations ?? {})[0] ?? [];
    const now = language === undefined ? undefined : after.translations?.[language];
    if (translation === undefined || now === undefined) return null;
    const came = formsWithStatus(now);
    const unchanged = [...formsWithStatus(translation)].filter(
      ([category, { form, status }]) => statuses.includes(status) && came.get(category)?.form === form,
    );
    if (unchanged.length === 0) return null;
    return unchanged.some(([category, { status }]) => came.get(category)?.status !== status);
  };

const lettersOf = (text: string) => [...text.toLowerCase()].filter((letter) => /\p{L}/u.test(letter));
const isAscii = (letter: string) => letter < "\u0080";

/** Whether of the letters of an identifier only A to Z are left, and none stands for the others; null: it has no others. */
export function lostLetters({ before, after }: ReturnedString): boolean | null {
  const letters = lettersOf(before.identifier);
  if (letters.every(isAscii)) return null;
  return lettersOf(after.identifier).join("") === letters.filter(isAscii).join("");
}

const keptIdentifier = surveyCheck(
  {
    id: "import.kept.identifier",
    title: "Strings keep their identifiers, with all letters",
    section: "2.5",
    severity: "should",
    why: "The identifier is the key that people see. Without it, or its letters, they cannot tell strings apart, and somebody must restore it.",
    fix: spread,
  },
  (check, evidence) => {
    const isOther: IsLost = ({ before, after }) => before.identifier !== after.identifier;
    const fault = lostInAll(evidence, detailedRoles, isOther);
    if (fault !== null) return faulty(check, `${fault.where}, ${every(fault.count)} came back with another identifier`);
    const letters = lostInAll(evidence, ["unicode"], lostLetters);
    return letters === null
      ? PASSED
      : faulty(check, `${letters.where}, all ${letters.count} identifiers with other letters than A to Z lost them`);
  },
);

const lostLabels = keptCheck(
  { id: "import.kept.labels", title: "Strings keep their labels", why: lostWork, fix: spread },
  ({ labels }) => labels,
  ({ before, after }) =>
    before.labels == null || before.labels.length === 0
      ? null
      : !before.labels.some((label) => after.labels?.includes(label) === true),
  [...detailedRoles, LABELS],
);

/** A label that came back in parts; null: none. */
export function splitLabel({ before, after }: Pick<ReturnedString, "before" | "after">): string | null {
  const came = (after.labels ?? []).map((label) => label.trim());
  const isSplit = (label: string) => {
    const parts = label.split(/[,;|]/).map((part) => part.trim());
    return parts.length > 1 && !came.includes(label) && parts.every((part) => came.includes(part));
  };
  return before.labels?.find(isSplit) ?? null;
}

const keptLabels: ImportCheck = {
  ...lostLabels,
  judge: (evidence) => {
    const lost = lostLabels.judge(evidence);
    if (lost.result !== "pass") return lost;
    const split = pairsOf(evidence, [LABELS]).flatMap((pair) => splitLabel(pair) ?? [])[0];
    return split === undefined ? lost : faulty(lostLabels, `the label "${split}" came back in parts`);
  },
};

const statusCheck = (statuses: readonly string[]) =>
  keptCheck(
    {
      id: "import.kept.status",
      title: "Translations that did not change keep their status",
      why: lostWork,
      fix: spread,
    },
    ({ translations }) => Object.values(translations ?? {})[0]?.status,
    lostStatus(statuses),
  );
const lostStatuses = statusCheck(["approved", "untranslated"]);
const lostApproval = statusCheck(["approved"]);

/** An app may keep what is untranslated, and lose only the approvals. */
const keptStatus: ImportCheck = {
  ...lostStatuses,
  judge: (evidence) => {
    const lost = lostStatuses.judge(evidence);
    return lost.result === "pass" ? lostApproval.judge(evidence) : lost;
  },
};

/** Checks that strings keep fields that apps have no reason to change. */
export const importKeptFieldChecks: readonly ImportCheck[] = [
  keptIdentifier,
  keptCheck(
    { id: "import.kept.context", title: "Strings keep their context", why: lostWork, fix: spread },
    ({ context }) => context,
    ({ before, after }) => (before.context ? !after.context : null),
  ),
  keptCheck(
    { id: "import.kept.max-length", title: "Strings keep their maxLength", why: lostWork, fix: spread },
    ({ maxLength }) => maxLength,
    ({ before, after }) => (before.maxLength == null ? null : after.maxLength == null),
  ),
  keptLabels,
  keptCheck(
    { id: "import.kept.attributes", title: "Strings keep their attributes", why: lostWork, fix: spread },
    ({ attributes }) => attributes,
    ({ before, after }) => (before.attributes?.platformType == null ? null : after.attributes?.platformType == null),
  ),
  keptCheck(
    { id: "import.kept.hidden", title: "Hidden strings stay hidden", why: lostWork, fix: spread },
    ({ isHidden }) => isHidden,
    ({ before, after }) => (before.isHidden === true ? after.isHidden !== true : null),
  ),
  keptCheck(
    { id: "import.kept.translations", title: "Strings keep their translations", why: lostWork, fix: spread },
    ({ translations }) => Object.keys(translations ?? {}),
    lostTranslations,
  ),
  keptStatus,
];
