import type { IncomingMessage } from "node:http";
import { demand, isObject, json, parseJson, Refusal, type Reply, readBody } from "./request.ts";
import { bearerToken, type Credentials, verifyToken } from "./token.ts";

/** Largest job and largest answer (interface 8). */
const MAX_PAYLOAD_BYTES = 5 * 1024 * 1024;

const LABEL = "reviewed-by-app";

/**
 * Placeholders and tags: `%s`, `%1$d`, `%(name)s`, `{name}`, `{{name}}`, `<b>`. None of them can hold the
 * character that starts it: an unclosed one ends there, so a long row of them does not make the search slow.
 */
const MARKUP = /%(?:\d+\$|\(\w+\))?[\d.#+-]*(?:ll?|hh?|z)?[@a-z]|\{[^{}]*\}|<\/?[a-z][^<>]*>/gi;

/** The source text of a string: one text, or one for each plural category. */
type Text = string | Readonly<Record<string, string>>;

/** A string record (interface 2.5): the fields that this app reads. The others go back as they came. */
interface StringRecord {
  readonly uniqId: string;
  readonly text: Text;
  readonly isHidden?: boolean | null;
  readonly labels?: readonly string[] | null;
  readonly [field: string]: unknown;
}

/** Answers one post-import call (interface 2.3, 2.4). */
export async function answerPostImport(
  request: IncomingMessage,
  moduleKey: string,
  credentials: Credentials,
): Promise<Reply> {
  await verifyToken(bearerToken(request), moduleKey, credentials);
  return answerJob(await readBody(request, MAX_PAYLOAD_BYTES));
}

function answerJob(body: Buffer): Reply {
  try {
    return tidyJob(parseStrings(parseJson(body)));
  } catch (error) {
    // The platform shows error.message of a 200 answer to the user who imported the file (interface 7).
    if (error instanceof Refusal) return json(200, { error: { message: error.message } });
    // JSON.parse reads any depth of nesting, JSON.stringify writes only so much of it.
    if (error instanceof RangeError) return json(200, { error: { message: "The strings are nested too deeply." } });
    throw error;
  }
}

function tidyJob(strings: readonly StringRecord[]): Reply {
  const tidied = strings.map(tidyString);
  if (tidied.every((string, index) => string === strings[index])) return { status: 304 };
  const reply = json(200, { data: { strings: tidied } });
  demand(Buffer.byteLength(reply.body ?? "") <= MAX_PAYLOAD_BYTES, "The tidied strings do not fit in one answer.");
  return reply;
}

/**
 * Trims the source text, hides a string without anything to translate, and labels what it changed. A string
 * that is tidy already is returned as the same object.
 */
function tidyString(string: StringRecord): StringRecord {
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

function parseStrings(job: unknown): StringRecord[] {
  demand(isObject(job), "The job must be an object.");
  demand(job.stringsUrl === undefined, "This app reads inline strings only, not stringsUrl.");
  demand(Array.isArray(job.strings), "The job has no strings.");
  const strings = job.strings.map(parseString);
  const ids = new Set(strings.map((string) => string.uniqId));
  demand(ids.size === strings.length, "Two strings have the same uniqId.");
  return strings;
}

function parseString(value: unknown, index: number): StringRecord {
  const at = `strings[${index}]`;
  demand(isObject(value), `${at} must be an object.`);
  const { uniqId, identifier, text, hasPlurals, isHidden, labels } = value;
  demand(typeof uniqId === "string" && uniqId !== "", `${at}.uniqId must be a text.`);
  demand(typeof identifier === "string", `${at}.identifier must be a text.`);
  demand(isOptional(hasPlurals, isBoolean), `${at}.hasPlurals must be true or false.`);
  demand(isOptional(isHidden, isBoolean), `${at}.isHidden must be true or false.`);
  demand(isOptional(labels, isTexts), `${at}.labels must be an array of texts.`);
  if (hasPlurals === true) {
    demand(isObject(text) && isTexts(Object.values(text)), `${at}.text must hold a text for each plural category.`);
  } else {
    demand(typeof text === "string", `${at}.text must be a text.`);
  }
  return value as StringRecord;
}

/** The interface gives some optional fields the default null, so null counts as absent. */
function isOptional(value: unknown, accepts: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || accepts(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
