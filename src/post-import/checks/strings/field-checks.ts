import type { StringRecord } from "../../../protocol/import-job.ts";
import { valueText } from "../../../protocol/problems.ts";
import {
  type ComparedString,
  FOUND_PER_STRING,
  type JobLanguages,
  newFaults,
  type StringCheck,
  type StringFound,
} from "./string-check.ts";
import { formFor, formsOf, isBlank, translationsOf } from "./string-texts.ts";

/** Values that have the right type and yet help nobody (interface 2.5). */
export const fieldChecks: readonly StringCheck[] = [
  {
    id: "import.identifier.empty",
    section: "2.5",
    result: "warn",
    rule: "identifier is the key that people see",
    find: newFaults(({ identifier }) =>
      isBlank(identifier)
        ? [{ path: "identifier", value: identifier, message: "is empty: nobody sees which string it is" }]
        : [],
    ),
  },
  {
    id: "import.text.empty",
    section: "2.5",
    result: "warn",
    rule: "a string that is not hidden keeps a text to translate",
    find: emptied,
  },
  {
    id: "import.labels",
    section: "2.5",
    result: "warn",
    rule: "each label has a name and is given once",
    find: newFaults(labelFaults),
  },
  {
    id: "import.maxLength.positive",
    section: "2.5",
    result: "warn",
    rule: "maxLength is at least 1; without a limit it is null",
    find: newFaults(({ maxLength }) =>
      maxLength != null && maxLength < 1
        ? [
            {
              path: "maxLength",
              value: maxLength,
              message: `is ${maxLength}: expected at least 1, or null for no limit`,
            },
          ]
        : [],
    ),
  },
  {
    id: "import.maxLength.exceeded",
    section: "2.5",
    result: "warn",
    rule: "a translation is at most maxLength characters long",
    find: newFaults(lengthFaults),
  },
];

function emptied({ before, after }: ComparedString, { source }: JobLanguages): StringFound[] {
  if (before === null || after.isHidden === true) return [];
  return formsOf("text", after.text, source)
    .filter(({ category, form }) => isBlank(form) && !isBlank(formFor(before.text, category) ?? ""))
    .map(({ path, form }) => ({
      path,
      value: form,
      message: "is empty now: hide the string if there is nothing to translate",
    }));
}

function labelFaults({ labels }: StringRecord): StringFound[] {
  if (labels == null || labels.length === 0) return [];
  const named = new Set<string>();
  const repeated = new Set<string>();
  for (const label of labels) (named.has(label) ? repeated : named).add(label);
  return [
    ...(labels.some(isBlank) ? [{ path: "labels", value: "", message: "has a label without a name" }] : []),
    ...[...repeated].slice(0, FOUND_PER_STRING).map((label) => ({
      path: "labels",
      value: label,
      message: `has ${valueText(label)} more than once`,
    })),
  ];
}

/** In Unicode code points: the interface does not say what maxLength counts, and these are what people would count. */
function lengthFaults(record: StringRecord, languages: JobLanguages): StringFound[] {
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
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return text.length - pairs;
}
