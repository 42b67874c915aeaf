import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Language } from "../../../protocol/language.ts";
import { type ChangedForm, formFor } from "./string-texts.ts";

/** An ICU message: text with arguments that select one of several texts. */
type IcuMessage =
  | { readonly ok: true; readonly elements: readonly MessageFormatElement[] }
  | { readonly ok: false; readonly reason: string };

/** Only ICU writes this; `{name}` alone occurs in many formats, in which an apostrophe quotes nothing. */
const choosing = /\{\s*[^\s{},]+\s*,\s*(?:plural|select|selectordinal)\s*,/;

/** Longer texts are not parsed as ICU: deep nesting would overflow the stack. */
const LONGEST = 10_000;

/** Whether a text is certainly meant as an ICU message, valid or not. */
export function isIcu(text: string): boolean {
  return text.length <= LONGEST && choosing.test(text);
}

/** Parses a text as an ICU message. Tags are plain text here. */
export function parseIcu(text: string): IcuMessage {
  if (text.length > LONGEST) return { ok: false, reason: "it is too long" };
  try {
    // A missing `other` is reported with our own message.
    const options = { ignoreTag: true, requiresOtherClause: false, shouldParseSkeletons: false, captureLocation: true };
    return { ok: true, elements: parse(text, options) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: reasonOf(error) };
    throw error;
  }
}

/** The parser names its errors in capitals: `EXPECT_ARGUMENT_CLOSING_BRACE`. */
function reasonOf(
  error: SyntaxError & { readonly location?: { readonly start: { readonly offset: number } } },
): string {
  const reason = error.message.toLowerCase().replaceAll("_", " ");
  return error.location === undefined ? reason : `${reason} at character ${error.location.start.offset + 1}`;
}

/** An argument of a message that selects a text: plural, select or selectordinal. */
type IcuChoice = Extract<MessageFormatElement, { readonly options: unknown }>;

/** Every argument of a message that selects a text, at any depth. */
function choicesOf(elements: readonly MessageFormatElement[]): IcuChoice[] {
  return elements.flatMap((element) =>
    "options" in element ? [element, ...Object.values(element.options).flatMap(({ value }) => choicesOf(value))] : [],
  );
}

/** The names of the arguments of a message, each once. */
export function argumentsOf(elements: readonly MessageFormatElement[]): Set<string> {
  const inside = choicesOf(elements).flatMap(({ options }) => Object.values(options).flatMap(({ value }) => value));
  const named = [...elements, ...inside].filter(({ type }) => type !== TYPE.literal && type !== TYPE.pound);
  return new Set(named.flatMap((element) => ("value" in element ? [element.value] : [])));
}

/**
 * What is wrong with a form that the app has written, as an ICU message: one with a plural or a select, or one that
 * replaces such a message.
 */
export function icuFaultsOf({ form, category, place: { language, earlier, source } }: ChangedForm): string[] {
  const was = earlier && formFor(earlier, category);
  const model = was || (source && formFor(source, category)) || "";
  // A text that could not be parsed before may have another format.
  if (isIcu(model) ? !parseIcu(model).ok : !isIcu(form)) return [];
  const known = was === null ? [] : faultsIn(was, language);
  return faultsIn(form, language).filter((fault) => !known.includes(fault));
}

function faultsIn(text: string, language: Language): string[] {
  const message = parseIcu(text);
  if (!message.ok) return [`cannot be parsed as an ICU message: ${message.reason}`];
  return choicesOf(message.elements).flatMap((choice) => [
    ...(Object.hasOwn(choice.options, "other") ? [] : [`has no "other" for {${choice.value}}, which ICU requires`]),
    ...unknownCategories(choice, language),
  ]);
}

function unknownCategories(choice: IcuChoice, { name, pluralCategoryNames }: Language): string[] {
  // Ordinals ("1st") have their own categories, which a job does not list.
  if (choice.type !== TYPE.plural || choice.pluralType !== "cardinal") return [];
  const has = `has the plural categories ${pluralCategoryNames.join(", ")}`;
  return Object.keys(choice.options)
    .filter((key) => key !== "other" && !key.startsWith("=") && !pluralCategoryNames.includes(key))
    .map((key) => `has "${key}" for {${choice.value}}: ${name} ${has}`);
}
