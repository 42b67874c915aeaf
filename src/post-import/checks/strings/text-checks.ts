import { icuFaultsOf } from "./icu-faults.ts";
import { differenceOf, type MarkRules } from "./kept-marks.ts";
import { isNumber, placeholdersOf } from "./placeholders.ts";
import { FOUND_PER_STRING, type StringCheck } from "./string-check.ts";
import { type ChangedForm, changedForms, formFor } from "./string-texts.ts";
import { imbalanceOf, tagsOf } from "./tags.ts";

/** What programs look for in texts (interface 2.5). Only texts that the app has written are looked at. */
export const textChecks: readonly StringCheck[] = [
  {
    id: "import.text.placeholders",
    section: "2.5",
    result: "warn",
    rule: "a text keeps its placeholders, and a translation those of its source text",
    find: findIn((changed) => (icuFaultsOf(changed).length > 0 ? null : differenceOf(changed, placeholders))),
  },
  {
    id: "import.text.tags",
    section: "2.5",
    result: "warn",
    rule: "a text keeps its HTML tags, and a translation those of its source text; each is closed",
    find: findIn(tagFaults),
  },
  {
    id: "import.text.icu",
    section: "2.5",
    result: "warn",
    rule: "an ICU message can be read, and has a text for each number and case",
    find: findIn((changed) => icuFaultsOf(changed).join("; ") || null),
  },
];

const placeholders: MarkRules = {
  marksOf: placeholdersOf,
  mayLack: (mark, category) => category !== null && ["zero", "one", "two"].includes(category) && isNumber(mark),
};

const tags: MarkRules = { marksOf: tagsOf, mayLack: () => false };

function findIn(faultOf: (changed: ChangedForm) => string | null): StringCheck["find"] {
  return (strings, languages) =>
    changedForms(strings, languages)
      .flatMap((changed) => {
        const message = faultOf(changed);
        return message === null ? [] : [{ path: changed.path, value: changed.form, message }];
      })
      .slice(0, FOUND_PER_STRING);
}

/** A tag that is not closed may be one that got lost, or came, just now. */
function tagFaults(changed: ChangedForm): string | null {
  const faults = [differenceOf(changed, tags), newImbalanceOf(changed)].filter((fault) => fault !== null);
  return faults.length === 0 ? null : faults.join("; ");
}

/** What is not closed in the source text, or was not before, may be meant so. */
function newImbalanceOf({ form, category, place: { earlier, source } }: ChangedForm): string | null {
  const models = [earlier, source].map((text) => (text === null ? "" : (formFor(text, category) ?? "")));
  return models.some((model) => imbalanceOf(model) !== null) ? null : imbalanceOf(form);
}
