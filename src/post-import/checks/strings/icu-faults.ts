import { TYPE } from "@formatjs/icu-messageformat-parser";
import type { Language } from "../../../protocol/language.ts";
import { choicesOf, type IcuChoice, isIcu, parseIcu } from "./icu-message.ts";
import { type ChangedForm, formFor } from "./string-texts.ts";

/**
 * What is wrong in a form, that the app has written, as an ICU message. A form is one that holds a plural or a
 * select, or takes the place of one.
 */
export function icuFaultsOf({ form, category, place: { language, earlier, source } }: ChangedForm): string[] {
  const was = earlier === null ? null : formFor(earlier, category);
  const model = was || (source === null ? null : formFor(source, category)) || "";
  // What could not be read before is of another format, for all that is known.
  if (isIcu(model) ? !parseIcu(model).ok : !isIcu(form)) return [];
  const known = was === null ? [] : faultsIn(was, language);
  return faultsIn(form, language).filter((fault) => !known.includes(fault));
}

function faultsIn(text: string, language: Language): string[] {
  const message = parseIcu(text);
  if (!message.ok) return [`cannot be read as an ICU message: ${message.reason}`];
  return choicesOf(message.elements).flatMap((choice) => {
    const lacksOther = Object.hasOwn(choice.options, "other")
      ? []
      : [`has no "other" for {${choice.value}}, which ICU demands`];
    return [...lacksOther, ...unknownCategories(choice, language)];
  });
}

function unknownCategories(choice: IcuChoice, { name, pluralCategoryNames }: Language): string[] {
  // Ordinals ("1st") have categories of their own, of which a job tells nothing.
  if (choice.type !== TYPE.plural || choice.pluralType !== "cardinal") return [];
  return Object.keys(choice.options)
    .filter((key) => key !== "other" && !key.startsWith("=") && !pluralCategoryNames.includes(key))
    .map(
      (key) =>
        `has "${key}" for {${choice.value}}: ${name} has the plural categories ${pluralCategoryNames.join(", ")}`,
    );
}
