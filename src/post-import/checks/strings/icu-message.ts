import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";

/** An ICU message: text with arguments that choose one of several texts. */
export type IcuMessage =
  | { readonly ok: true; readonly elements: readonly MessageFormatElement[] }
  | { readonly ok: false; readonly reason: string };

/** Only ICU writes this; `{name}` alone may be of many formats, in which an apostrophe quotes nothing. */
const choosing = /\{\s*[^\s{},]+\s*,\s*(?:plural|select|selectordinal)\s*,/;

/** Longer texts are not read as ICU: what is nested deeper than this allows has no end to the stack. */
const LONGEST = 10_000;

/** Whether a text is written as an ICU message beyond doubt, well or badly. */
export function isIcu(text: string): boolean {
  return text.length <= LONGEST && choosing.test(text);
}

/** Parses a text as an ICU message. Tags are text like any other here. */
export function parseIcu(text: string): IcuMessage {
  if (text.length > LONGEST) return { ok: false, reason: "it is too long" };
  try {
    // Whether a choice has an `other` is said in words of our own.
    const options = { ignoreTag: true, requiresOtherClause: false, shouldParseSkeletons: false, captureLocation: true };
    return { ok: true, elements: parse(text, options) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: reasonOf(error) };
    throw error;
  }
}

/** The parser names its reasons in capitals: `EXPECT_ARGUMENT_CLOSING_BRACE`. */
function reasonOf(
  error: SyntaxError & { readonly location?: { readonly start: { readonly offset: number } } },
): string {
  const reason = error.message.toLowerCase().replaceAll("_", " ");
  return error.location === undefined ? reason : `${reason} at character ${error.location.start.offset + 1}`;
}

/** An argument of a message that chooses a text: plural, select or selectordinal. */
export type IcuChoice = Extract<MessageFormatElement, { readonly options: unknown }>;

/** Every argument of a message that chooses a text, however deep. */
export function choicesOf(elements: readonly MessageFormatElement[]): IcuChoice[] {
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
