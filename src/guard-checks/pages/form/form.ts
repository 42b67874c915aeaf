import { createSecretKey } from "node:crypto";
import { sentCookies } from "../../../browser/cookies.ts";
import type { FormEntry } from "../../../browser/html-form.ts";
import { boundaryIn, readMultipart, writeMultipart } from "../../../browser/multipart.ts";
import { cookieHeader } from "../../../checking/cookies.ts";
import { type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import { headerValue } from "../../../journal/exchange.ts";
import { percentDecoded } from "../../../protocol/url.ts";

/** A request with the field of this name changed. */
export interface FormEdit {
  readonly name: string;
  readonly request: RequestParts;
}

/** Fields in the order in which a form sends them. */
export type FormFields = readonly (readonly [name: string, value: string])[];

const URL_ENCODED = "application/x-www-form-urlencoded";
/** A key that no app has issued. */
const NEVER_ISSUED = "app-sim-0123456789-abcdefghij-klmnopqrst-uv";
/** Length from which a value cannot be guessed. */
const UNGUESSABLE_CHARACTERS = 16;

/** The fields that a form sends: those in its URL, and those in its body. */
export function fieldsOf(request: RequestParts): FormFields {
  return [...new URL(request.url).searchParams, ...bodyFields(request)];
}

/** Whether there is a field of this name. */
export function hasField(fields: FormFields, name: string): boolean {
  return fields.some(([each]) => each === name);
}

function bodyFields(request: RequestParts): FormFields {
  return bodyEntries(request).map(({ name, value }) => [name, value]);
}

/** What is in the body of a form; empty: it is none, or one that is written in another way. */
function bodyEntries({ body, headers }: RequestParts): FormEntry[] {
  if (body === null || !("bytes" in body)) return [];
  const type = headerValue(headers, "content-type") ?? "";
  const text = Buffer.from(body.bytes).toString();
  const boundary = boundaryIn(type);
  if (boundary !== null) return readMultipart(text, boundary);
  if (!type.toLowerCase().startsWith(URL_ENCODED)) return [];
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}

/** The request with these fields as its body, written as before. */
function withBody(request: RequestParts, fields: FormFields): RequestParts {
  const boundary = boundaryIn(headerValue(request.headers, "content-type") ?? "");
  if (boundary === null) {
    const pairs = fields.map(([name, value]): [string, string] => [name, value]);
    return { ...request, body: { bytes: Buffer.from(new URLSearchParams(pairs).toString()) } };
  }
  const files = new Set(bodyEntries(request).flatMap(({ name, isFile }) => (isFile === true ? [name] : [])));
  const entries = fields.map(([name, value]) => ({ name, value, isFile: files.has(name) }));
  return { ...request, body: { bytes: Buffer.from(writeMultipart(entries, boundary)) } };
}

/** The request with other values in its fields; null if none changes. */
export function withFields(
  request: RequestParts,
  change: (value: string, name: string) => string,
): RequestParts | null {
  const url = new URL(request.url);
  const changed = (fields: FormFields) => fields.map(([name, value]): [string, string] => [name, change(value, name)]);
  const query = [...url.searchParams];
  const body = bodyFields(request);
  const isSame = [...query, ...body].every(([name, value]) => change(value, name) === value);
  if (isSame) return null;
  url.search = new URLSearchParams(changed(query)).toString();
  const moved = { ...request, url: url.href };
  return body.length === 0 ? moved : withBody(moved, changed(body));
}

/** The request with this value in a field; a missing field is added to the body, or else to the query. */
export function withField(request: RequestParts, name: string, value: string): RequestParts | null {
  if (hasField(fieldsOf(request), name)) {
    return withFields(request, (old, each) => (each === name ? value : old));
  }
  const body = bodyFields(request);
  if (body.length === 0) {
    const url = new URL(request.url);
    url.searchParams.set(name, value);
    return { ...request, url: url.href };
  }
  return withBody(request, [...body, [name, value]]);
}

/** The request without a field; null if there is none with this name. */
export function withoutField(request: RequestParts, name: string): RequestParts | null {
  return withOtherFields(request, name, (fields) => fields.filter(([each]) => each !== name));
}

/** The request without the fields of this name that have another value; null if there is none with this name. */
export function withOnlyValue(request: RequestParts, name: string, value: string): RequestParts | null {
  return withOtherFields(request, name, (fields) => fields.filter(([each, text]) => each !== name || text === value));
}

/** The request with a field spelled as a list for many frameworks: `pin[]`; null if there is none with this name. */
export function withListField(request: RequestParts, name: string): RequestParts | null {
  return withOtherFields(request, name, (fields) =>
    fields.map(([each, value]) => [each === name ? `${each}[]` : each, value]),
  );
}

/** The request with other fields in place of this one: in its body, or in the URL of a form that is sent by GET. */
function withOtherFields(
  request: RequestParts,
  name: string,
  change: (fields: FormFields) => FormFields,
): RequestParts | null {
  const body = bodyFields(request);
  if (hasField(body, name)) return withBody(request, change(body));
  const url = new URL(request.url);
  const query = [...url.searchParams];
  if (!hasField(query, name)) return null;
  url.search = new URLSearchParams(change(query).map(([each, value]): [string, string] => [each, value])).toString();
  return { ...request, url: url.href };
}

/** The request with this value in a cookie; null removes the cookie. */
export function withCookie(request: RequestParts, name: string, value: string | null): RequestParts {
  const cookies = sentCookies(request.headers);
  if (value === null) cookies.delete(name);
  else cookies.set(name, value);
  return withHeader(request, "Cookie", cookieHeader(cookies));
}

/**
 * The request at the path of another login's form, with the parts of that path also in its fields; null if the paths do
 * not differ, or not only in some of their parts.
 */
export function atAddressOf(own: RequestParts, other: RequestParts): RequestParts | null {
  const [url, theirs] = [new URL(own.url), new URL(other.url)];
  const parts = url.pathname.split("/");
  const others = theirs.pathname.split("/");
  if (own.method !== other.method || url.origin !== theirs.origin || url.pathname === theirs.pathname) return null;
  if (parts.length !== others.length) return null;
  const swapped = new Map(
    parts.flatMap((part, index) => (part === others[index] ? [] : [[part, others[index] ?? part] as const])),
  );
  const changed = withFields(own, (value) => swapped.get(value) ?? value) ?? own;
  return { ...changed, url: url.origin + theirs.pathname + new URL(changed.url).search };
}

/**
 * The form of one login with everything that the user of another has and fills in there, except what only works like a
 * key; null: both fill in the same, or nothing else in their forms differs.
 * @param known the state of the first login, and the names of the fields that users fill in
 */
export function withAllOf(
  form: RequestParts,
  other: RequestParts,
  { state, typed }: { readonly state: string; readonly typed: readonly string[] },
): RequestParts | null {
  const theirs = new Map(fieldsOf(other));
  const valueFor = (value: string, name: string) => {
    const foreign = theirs.get(name);
    return foreign === undefined || value === state || !isGuessable(foreign) ? value : foreign;
  };
  const names = fieldsOf(form).flatMap(([name, value]) => (valueFor(value, name) === value ? [] : [name]));
  const isTyped = (name: string) => typed.includes(name);
  return names.some(isTyped) && !names.every(isTyped) ? withFields(form, valueFor) : null;
}

/** Headers in which proxies and apps name the user of a request. */
const userHeaders = [
  "X-User-Id",
  "X-User",
  "X-UserId",
  "X-Auth-User",
  "X-Forwarded-User",
  "X-Remote-User",
  "Remote-User",
];

/** Names of fields that usually have the id of a user. */
export const userNames: readonly string[] = ["userId", "user_id", "user", "uid", "sub", "id"];

/** The request with the id of a user outside its body: in the headers that usually name one, and in its URL. */
export function withUserOutsideBody(request: RequestParts, id: number): RequestParts {
  const inUrl = withIdInUrl(request, userNames, id);
  return userHeaders.reduce((changed, name) => withHeader(changed, name, String(id)), inUrl);
}

/** The request with an id or a key under these names in the query of its URL. */
export function withIdInUrl(request: RequestParts, names: readonly string[], id: number | string): RequestParts {
  const url = new URL(request.url);
  for (const name of names) url.searchParams.set(name, String(id));
  return { ...request, url: url.href };
}

/** The request with the token of another login as a stranger would write it; null if one of them has no token. */
export function withForgedToken(own: RequestParts, other: RequestParts): RequestParts | null {
  if (own.token === null || other.token === null) return null;
  return { ...own, token: { ...other.token, key: createSecretKey(Buffer.from(NEVER_ISSUED)) } };
}

/** Whether a value can be guessed: otherwise it works like a key. */
export function isGuessable(value: string): boolean {
  return value.length < UNGUESSABLE_CHARACTERS || /\s|^[\w.+-]+@[\w.-]+$/.test(value);
}

/** The request without anything that identifies a login: token, cookies, state, and every other key. */
export function withoutLogin(request: RequestParts, state: string): RequestParts {
  const isKey = (value: string) => value === state || !isGuessable(value);
  const changed = withFields(request, (value) => (isKey(value) ? NEVER_ISSUED : value));
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "cookie");
  return { ...(changed ?? request), headers, token: null };
}

/** What may be a key of one login; shorter words are not compared. */
const words = /[\w.~+-]{6,}/g;

/**
 * The request without the values that differ from the same request of another login: a page may store its login under a
 * key that only the app knows, and send it in a header, in JSON or in the URL.
 */
export function withoutOwnWords(request: RequestParts, another: RequestParts): RequestParts {
  const known = new Set(textsOf(another).flatMap((text) => text.match(words) ?? []));
  const change = (text: string) => text.replaceAll(words, (word) => (known.has(word) ? word : NEVER_ISSUED));
  const { origin } = new URL(request.url);
  return {
    ...request,
    url: origin + change(request.url.slice(origin.length)),
    headers: request.headers.map(([name, value]) => [name, change(value)] as const),
    body: request.body === null ? null : { bytes: Buffer.from(change(bytesText(request)), "latin1") },
  };
}

function textsOf(request: RequestParts): string[] {
  return [request.url, ...request.headers.map(([, value]) => value), bytesText(request)];
}

function bytesText({ body }: RequestParts): string {
  return body !== null && "bytes" in body ? Buffer.from(body.bytes).toString("latin1") : "";
}

/**
 * The request with another id in place of the user's own, wherever the id appears in a readable encoding, such as
 * Base64 or hexadecimal: in the URL, the body or a cookie. Null if it appears nowhere. A correct app refuses signed
 * values that were changed like this.
 */
export function withOtherInside(request: RequestParts, own: number, other: number): RequestParts | null {
  const change = (text: string) => textWithOtherInside(text, own, other);
  const bytes = bytesText(request);
  const headers = request.headers.map(
    ([name, value]) => [name, name.toLowerCase() === "cookie" ? change(value) : value] as const,
  );
  const changed = {
    ...request,
    url: change(request.url),
    headers,
    body: bytes === "" ? request.body : { bytes: Buffer.from(change(bytes), "latin1") },
  };
  const isSame = changed.url === request.url && change(bytes) === bytes && headers.join() === request.headers.join();
  return isSame ? null : changed;
}

/** The text with another id in each of its words that have the user's own in such an encoding. */
export function textWithOtherInside(text: string, own: number, other: number): string {
  return text.replaceAll(/[\w+/=%-]{8,}/g, (run) => {
    const plain = percentDecoded(run);
    const changed = plain === null ? null : changedInside(plain, own, other);
    return changed === null ? run : plain === run ? changed : encodeURIComponent(changed);
  });
}

/** An encoded text with another id in it; null if the text has none of these encodings, or no id in it. */
function changedInside(text: string, own: number, other: number): string | null {
  const whole = new RegExp(`(?<![\\w-])${own}(?![\\w-])`, "g");
  for (const encoding of ["base64url", "base64", "hex"] as const) {
    const [name = "", ...rest] = text.split("=");
    // A field of a form begins with its name.
    const isField = rest.length > 0 && rest.some((part) => part !== "");
    const value = isField ? rest.join("=") : text;
    const inner = Buffer.from(value, encoding);
    const isIt = inner.length > 0 && inner.toString(encoding).replace(/=+$/, "") === value.replace(/=+$/, "");
    const plain = isIt ? inner.toString() : "";
    if (!whole.test(plain) || /[\p{Cc}\ufffd]/u.test(plain)) continue;
    const again = Buffer.from(plain.replaceAll(whole, String(other))).toString(encoding);
    return `${isField ? `${name}=` : ""}${value.includes("=") ? again : again.replace(/=+$/, "")}`;
  }
  return null;
}
