import { icuFaultsOf } from "./icu.ts";
import { differenceOf, type MarkRules } from "./kept-marks.ts";
import { isNumber, placeholdersOf } from "./placeholders.ts";
import { FAULTS_PER_STRING, type StringChecks } from "./string-check.ts";
import { type ChangedForm, changedForms, formFor } from "./string-texts.ts";
import { imbalanceOf, misquotedOf, tagsOf } from "./tags.ts";

/** What programs look for in texts (interface 2.5). Only texts that the app has written are checked. */
export const textChecks: StringChecks = {
  "import.text.placeholders": {
    rule: "a text keeps its placeholders, and a translation those of its source text",
    find: findIn((changed) => (icuFaultsOf(changed).length > 0 ? null : differenceOf(changed, placeholders))),
  },
  "import.text.tags": {
    rule: "a text keeps its HTML tags, and a translation those of its source text; each is closed, and its attributes have straight quotes",
    find: findIn(tagFaults),
  },
  "import.text.icu": {
    rule: "an ICU message can be parsed, and has a text for each number and case",
    find: findIn((changed) => icuFaultsOf(changed).join("; ") || null),
  },
  "import.text.garbled": {
    rule: "a text comes back in the encoding in which it was sent, and not escaped as HTML",
    find: findIn(garbledFault),
  },
};

const placeholders: MarkRules = {
  marksOf: placeholdersOf,
  mayLack: (mark, category) => category !== null && ["zero", "one", "two"].includes(category) && isNumber(mark),
};

const tags: MarkRules = { marksOf: tagsOf, mayLack: () => false };

function findIn(faultOf: (changed: ChangedForm) => string | null): StringChecks[string]["find"] {
  return (strings, languages) =>
    changedForms(strings, languages)
      .flatMap((changed) => {
        const message = faultOf(changed);
        return message === null ? [] : [{ path: changed.path, value: changed.form, message }];
      })
      .slice(0, FAULTS_PER_STRING);
}

/** Lost and new tags, and faults of a tag, unless the source or earlier text has such a fault, too. */
function tagFaults(changed: ChangedForm): string | null {
  const { form, category, place } = changed;
  const models = [place.earlier, place.source].map((text) => (text === null ? "" : (formFor(text, category) ?? "")));
  const newFaults = [imbalanceOf, misquotedOf].map((faultOf) =>
    models.some((model) => faultOf(model) !== null) ? null : faultOf(form),
  );
  return [differenceOf(changed, tags), ...newFaults].filter((fault) => fault !== null).join("; ") || null;
}

/** Texts that changed only because of an encoding other than UTF-8, or because they were escaped as HTML. */
function garbledFault({ form, category, place }: ChangedForm): string | null {
  const earlier = place.earlier === null ? null : formFor(place.earlier, category);
  if (earlier === null) return null;
  const came = form.trim();
  if (ESCAPED_QUOTE.test(came) && !ESCAPED_QUOTE.test(earlier) && unescaped(came) === unescaped(earlier.trim()))
    return "is the sent text, escaped as HTML: answer with the text itself";
  if (!/\P{ASCII}/u.test(earlier)) return null;
  const asLatin1 = Buffer.from(earlier).toString("latin1");
  if ([asLatin1, inWindows1252(asLatin1)].some((garbled) => garbled.trim() === came))
    return "is the sent UTF-8 text decoded as Latin-1: read and write it as UTF-8 everywhere";
  if (earlier.trim().replaceAll(/\P{ASCII}/gu, "?") !== came) return null;
  return "has a ? instead of each non-ASCII letter: read and write it as UTF-8 everywhere";
}

/** No text needs an escaped quotation mark outside an attribute. */
const ESCAPED_QUOTE = /&(?:quot|apos|#39|#0?34|#x27|#x22);/i;

/** The text without the escapes that functions for HTML make. */
function unescaped(text: string): string {
  return text
    .replaceAll(/&(?:quot|#0?34|#x22);/gi, '"')
    .replaceAll(/&(?:apos|#39|#x27);/gi, "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** Windows-1252 for the bytes 80 to 9f, which are control characters in Latin-1. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function inWindows1252(latin1: string): string {
  return latin1.replaceAll(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control);
}
