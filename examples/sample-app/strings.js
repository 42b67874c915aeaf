import { demand, isObject } from "./http.js";
import { html } from "./pages.js";

/**
 * A string record: the fields that this app reads. The others are returned unchanged.
 *
 * @typedef {Record<string, unknown> & {
 *   uniqId: string, identifier: string, text: string | Record<string, string>,
 *   hasPlurals?: boolean | null, isHidden?: boolean | null, labels?: string[] | null,
 * }} StringRecord
 */

/** A preview of more strings would be of no use. */
export const PREVIEW_STRINGS = 500;

const LABEL = "reviewed-by-app";

/**
 * Placeholders and tags: `%s`, `%1$d`, `%(name)s`, `{name}`, `{{name}}`, `<b>`. None of them can contain the character
 * that begins it: an unclosed one ends there, so a long series of them does not make the search slow.
 */
const MARKUP = /%(?:\d+\$|\(\w+\))?[\d.#+-]*(?:ll?|hh?|z)?[@a-z]|\{[^{}]*\}|<\/?[a-z][^<>]*>/gi;

/**
 * Refuses what this app cannot handle. It does not check for a repeated uniqId, because remembering a million of them
 * would take more memory than everything else.
 *
 * @param {string} where the place of the record in the job, for messages
 * @returns {StringRecord}
 */
export function parseString(value, where) {
  demand(isObject(value), `${where}: the string must be an object.`);
  const { uniqId, identifier, text, hasPlurals, isHidden, labels } = value;
  demand(typeof uniqId === "string" && uniqId !== "", `${where}: uniqId must be a text.`);
  demand(typeof identifier === "string", `${where}: identifier must be a text.`);
  demand(hasPlurals == null || typeof hasPlurals === "boolean", `${where}: hasPlurals must be true or false.`);
  demand(isHidden == null || typeof isHidden === "boolean", `${where}: isHidden must be true or false.`);
  demand(labels == null || (Array.isArray(labels) && areTexts(labels)), `${where}: labels must be an array of texts.`);
  if (hasPlurals) {
    const isPlural = isObject(text) && areTexts(Object.values(text));
    demand(isPlural, `${where}: text must hold a text for each plural category.`);
  } else {
    demand(typeof text === "string", `${where}: text must be a text.`);
  }
  return /** @type {StringRecord} */ (value);
}

function areTexts(values) {
  return values.every((value) => typeof value === "string");
}

/**
 * Trims the source text, hides a string that has nothing to translate, and labels what it changed. A string that is
 * already tidy is returned as the same object.
 *
 * @param {StringRecord} string
 */
export function tidyString(string) {
  const forms = typeof string.text === "string" ? [string.text] : Object.values(string.text);
  const isHidden = string.isHidden === true || !forms.some(hasLetter);
  if (isHidden === (string.isHidden === true) && forms.every((form) => form === form.trim())) return string;
  const labels = new Set([...(string.labels ?? []), LABEL]);
  return { ...string, text: trimText(string.text), ...(isHidden && { isHidden }), labels: [...labels] };
}

function trimText(text) {
  if (typeof text === "string") return text.trim();
  return Object.fromEntries(Object.entries(text).map(([category, form]) => [category, form.trim()]));
}

function hasLetter(form) {
  return /\p{L}/u.test(form.replace(MARKUP, ""));
}

/** An HTML page of the strings, in base64; null for too many strings, and for plurals, which have no preview. */
export function previewOf(strings) {
  if (strings.length > PREVIEW_STRINGS || strings.some(({ text }) => typeof text !== "string")) return null;
  const rows = strings.map(
    ({ identifier, text }) => html`<tr><th>${identifier}</th><td dir="auto">${text}</td></tr>\n`,
  );
  // It is shown in the platform's editor, so it loads nothing and contains its own style.
  const { source } = html`<!doctype html>
    <meta charset="utf-8">
    <title>Strings</title>
    <style>
    body { font: 1rem/1.5 system-ui, sans-serif; }
    th, td { padding: 0.25rem 1rem; text-align: start; vertical-align: top; white-space: pre-wrap; }
    </style>
    <table>
    ${rows}</table>
`;
  return { preview: Buffer.from(source).toString("base64") };
}
