import { faulty, PASSED } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import type { ImportCheck, ImportFacts } from "./check.ts";
import { pairsOf, type ReturnedString, surveyCheck } from "./survey.ts";

const lostWork = "Data from the file is gone after the import. Somebody must notice, and restore it.";

const detailedRoles = ["upload", "translation", "multilingual", "plurals"];

/**
 * A check that a field is not lost in all strings that had it: an app may have a reason to empty it in some.
 * @param lost whether its value is gone; null if it had none
 */
function keptCheck(facts: ImportFacts, lost: (pair: ReturnedString) => boolean | null): ImportCheck {
  return surveyCheck({ section: "2.5", severity: "should", ...facts }, (check, evidence) => {
    for (const role of detailedRoles) {
      const pairs = pairsOf(evidence, [role]).filter((pair) => lost(pair) !== null);
      // Changed strings are rewritten, others may be copied, and plurals have separate code.
      for (const some of [pairs.filter(isRewritten), pairs.filter(({ before }) => before.hasPlurals === true), pairs]) {
        if (some.length === 0 || !some.every((pair) => lost(pair) === true)) continue;
        return faulty(check, `in its answer to ${some[0]?.job}, it is missing in all ${some.length} of them`);
      }
    }
    return PASSED;
  });
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

/** Whether a form of a translation came back unchanged, but with another status. */
function lostStatus({ before, after }: ReturnedString): boolean | null {
  const [language, translation] = Object.entries(before.translations ?? {})[0] ?? [];
  const now = language === undefined ? undefined : after.translations?.[language];
  if (translation === undefined || now === undefined) return null;
  const came = formsWithStatus(now);
  const unchanged = [...formsWithStatus(translation)].filter(
    ([category, { form, status }]) => status !== "translated" && came.get(category)?.form === form,
  );
  if (unchanged.length === 0) return null;
  return unchanged.some(([category, { status }]) => came.get(category)?.status !== status);
}

const spread = "Start from the received record, and change only what should change.";

/** Checks that strings keep fields that apps have no reason to change. */
export const importKeptFieldChecks: readonly ImportCheck[] = [
  keptCheck(
    { id: "import.kept.identifier", title: "Strings keep their identifiers", why: lostWork, fix: spread },
    ({ before, after }) => before.identifier !== after.identifier,
  ),
  keptCheck(
    { id: "import.kept.context", title: "Strings keep their context", why: lostWork, fix: spread },
    ({ before, after }) => (before.context ? !after.context : null),
  ),
  keptCheck(
    { id: "import.kept.max-length", title: "Strings keep their maxLength", why: lostWork, fix: spread },
    ({ before, after }) => (before.maxLength == null ? null : after.maxLength == null),
  ),
  keptCheck(
    { id: "import.kept.labels", title: "Strings keep their labels", why: lostWork, fix: spread },
    ({ before, after }) =>
      before.labels == null || before.labels.length === 0
        ? null
        : !before.labels.some((label) => after.labels?.includes(label) === true),
  ),
  keptCheck(
    { id: "import.kept.attributes", title: "Strings keep their attributes", why: lostWork, fix: spread },
    ({ before, after }) => (before.attributes?.platformType == null ? null : after.attributes?.platformType == null),
  ),
  keptCheck(
    { id: "import.kept.hidden", title: "Hidden strings stay hidden", why: lostWork, fix: spread },
    ({ before, after }) => (before.isHidden === true ? after.isHidden !== true : null),
  ),
  keptCheck(
    { id: "import.kept.translations", title: "Strings keep their translations", why: lostWork, fix: spread },
    lostTranslations,
  ),
  keptCheck(
    {
      id: "import.kept.status",
      title: "Translations that did not change keep their status",
      why: lostWork,
      fix: spread,
    },
    lostStatus,
  ),
];
