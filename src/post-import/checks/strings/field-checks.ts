import type { StringRecord } from "../../../protocol/import-job.ts";
import { valueText } from "../../../protocol/problems.ts";
import {
  type ComparedString,
  FAULTS_PER_STRING,
  type JobLanguages,
  newFaults,
  type StringChecks,
  type StringFault,
} from "./string-check.ts";
import { formFor, formsOf, isBlank, translationsOf } from "./string-texts.ts";

/** Values of the right type that are useless all the same (interface 2.5). */
export const fieldChecks: StringChecks = {
  "import.identifier.empty": {
    rule: "identifier is the key that people see, so it is not empty",
    find: newFaults(identifierFaults),
  },
  "import.text.empty": { rule: "a string that is not hidden keeps its text to translate", find: emptiedTexts },
  "import.translation.removed": {
    rule: "a translation that was sent comes back with its string",
    find: lostTranslations,
  },
  "import.labels": { rule: "each label has a name and occurs once", find: newFaults(labelFaults) },
  "import.maxLength.positive": {
    rule: "maxLength is at least 1; without a limit it is null",
    find: newFaults(maxLengthFaults),
  },
  "import.maxLength.exceeded": {
    rule: "a translation is at most maxLength characters long",
    find: newFaults(lengthFaults),
  },
};

function identifierFaults({ identifier }: StringRecord): StringFault[] {
  if (!isBlank(identifier)) return [];
  return [{ path: "identifier", value: identifier, message: "is empty: people cannot tell which string it is" }];
}

function maxLengthFaults({ maxLength }: StringRecord): StringFault[] {
  if (maxLength == null || maxLength >= 1) return [];
  const message = `is ${maxLength}: expected at least 1, or null for no limit`;
  return [{ path: "maxLength", value: maxLength, message }];
}

function emptiedTexts({ before, after }: ComparedString, { source }: JobLanguages): StringFault[] {
  if (before === null || after.isHidden === true) return [];
  return formsOf("text", after.text, source)
    .filter(({ category, form }) => isBlank(form) && !isBlank(formFor(before.text, category) ?? ""))
    .map(({ path, form }) => ({
      path,
      value: form,
      message: "is empty now: hide the string if there is nothing to translate",
    }));
}

function lostTranslations({ before, after }: ComparedString): StringFault[] {
  return Object.entries(before?.translations ?? {})
    .filter(([language, { text }]) => !isEmptyText(text) && after.translations?.[language] == null)
    .slice(0, FAULTS_PER_STRING)
    .map(([language]) => ({
      path: `translations.${language}`,
      value: null,
      message: "did not come back: the translation is lost",
    }));
}

function isEmptyText(text: StringRecord["text"]): boolean {
  return typeof text === "string" ? isBlank(text) : Object.values(text).every(isBlank);
}

function labelFaults({ labels }: StringRecord): StringFault[] {
  if (labels == null || labels.length === 0) return [];
  const named = new Set<string>();
  const repeated = new Set<string>();
  for (const label of labels) (named.has(label) ? repeated : named).add(label);
  const fault = (value: string, message: string) => ({ path: "labels", value, message });
  return [
    ...(labels.some(isBlank) ? [fault("", "has a label without a name")] : []),
    ...[...repeated].slice(0, FAULTS_PER_STRING).map((label) => fault(label, `has ${valueText(label)} more than once`)),
  ];
}

/** In Unicode code points: the interface does not say what maxLength counts, and people would count these. */
function lengthFaults(record: StringRecord, languages: JobLanguages): StringFault[] {
  const { maxLength } = record;
  if (maxLength == null || maxLength < 1) return [];
  return translationsOf(record, languages)
    .flatMap(({ path, language, translation }) => formsOf(`${path}.text`, translation.text, language))
    .filter(({ form }) => form.length > maxLength && codePoints(form) > maxLength)
    .map(({ path, form }) => ({
      path,
      value: form,
      message: `is ${codePoints(form)} characters long; maxLength is ${maxLength}`,
    }));
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
