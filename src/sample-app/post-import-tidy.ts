import type { StringRecord, Text } from "./post-import-string.ts";

const LABEL = "reviewed-by-app";

/**
 * Placeholders and tags: `%s`, `%1$d`, `%(name)s`, `{name}`, `{{name}}`, `<b>`. None of them can hold the
 * character that starts it: an unclosed one ends there, so a long row of them does not make the search slow.
 */
const MARKUP = /%(?:\d+\$|\(\w+\))?[\d.#+-]*(?:ll?|hh?|z)?[@a-z]|\{[^{}]*\}|<\/?[a-z][^<>]*>/gi;

/**
 * Trims the source text, hides a string without anything to translate, and labels what it changed. A string
 * that is tidy already is returned as the same object.
 */
export function tidyString(string: StringRecord): StringRecord {
  const forms = textForms(string.text);
  const isHidden = string.isHidden === true || !forms.some(hasLetter);
  if (isHidden === (string.isHidden === true) && forms.every((form) => form === form.trim())) return string;
  const labels = string.labels ?? [];
  return {
    ...string,
    text: trimText(string.text),
    ...(isHidden && { isHidden }),
    labels: labels.includes(LABEL) ? labels : [...labels, LABEL],
  };
}

function textForms(text: Text): string[] {
  return typeof text === "string" ? [text] : Object.values(text);
}

function trimText(text: Text): Text {
  if (typeof text === "string") return text.trim();
  return Object.fromEntries(Object.entries(text).map(([category, form]) => [category, form.trim()]));
}

function hasLetter(form: string): boolean {
  return /\p{L}/u.test(form.replace(MARKUP, ""));
}
