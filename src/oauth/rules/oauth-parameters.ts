import { parseJson } from "../../protocol/json.ts";
import { mediaType } from "../../protocol/media-type.ts";
import { readQuery } from "../../protocol/url.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";

/** The parameters of an OAuth request, with all values of each, in order. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** Collects the pairs of a query, a form or a JSON object. */
export function parametersOf(pairs: Iterable<readonly [string, string]>): Parameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of pairs) parameters.set(name, [...(parameters.get(name) ?? []), value]);
  return parameters;
}

/** The parameters in the query of an address; null if it is not percent-encoded UTF-8. */
export function queryParameters(url: string): Parameters | null {
  const query = readQuery(/\?.*$/s.exec(url)?.[0] ?? "");
  return query && parametersOf(query);
}

/** The value of a parameter; null if it is missing or empty, which are equivalent (RFC 6749 section 3.1). */
export function parameterOf(parameters: Parameters, name: string): string | null {
  return parameters.get(name)?.[0] || null;
}

/** The first of these names that was sent more than once (RFC 6749 sections 3.1 and 3.2 forbid that). */
export function repeatedOf(parameters: Parameters, names: readonly string[]): string | null {
  return names.find((name) => (parameters.get(name)?.length ?? 0) > 1) ?? null;
}

/** The scopes of a space-separated list (RFC 6749 section 3.3), without repetitions; null if it is not such a list. */
export function scopesOf(text: string): readonly string[] | null {
  const scopes = text.split(" ");
  return scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) ? [...new Set(scopes)] : null;
}

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Reads the body of a request to the token endpoint: JSON as in the interface (section 5.2), or a form as in RFC 6749
 * (choice `oauth.token.contentTypes`). In JSON, null means a missing parameter, and an integer is read as its digits,
 * because an installation event has the user's id as a number.
 */
export function readTokenBody(
  contentType: string | undefined,
  body: Uint8Array,
  contentTypes: "json-and-form" | "json",
): Judged<Parameters> {
  const type = mediaType(contentType);
  if (type === JSON_TYPE) return readJsonBody(body);
  if (type === FORM_TYPE && contentTypes === "json-and-form") return readFormBody(Buffer.from(body).toString("utf8"));
  const allowed = contentTypes === "json" ? JSON_TYPE : `${JSON_TYPE} or ${FORM_TYPE}`;
  return refuse("invalid_request", `the content type must be ${allowed}`, { status: 415 });
}

function readFormBody(body: string): Judged<Parameters> {
  // curl and urllib send JSON with this type by default: without this, everything would seem to be missing.
  if (/^\s*\{/.test(body))
    return refuse("invalid_request", `the body looks like JSON, but its content type is ${FORM_TYPE}`);
  return accept(parametersOf(new URLSearchParams(body)));
}

function readJsonBody(body: Uint8Array): Judged<Parameters> {
  const parsed = parseJson(body);
  if (!parsed.ok) {
    // Clients that set the header by hand may still send a form that their library made.
    const isForm = /^[\w.-]+=[^\s{}"]*$/.test(Buffer.from(body).toString("utf8"));
    const reason = isForm ? `the body looks like a form, but its content type is ${JSON_TYPE}` : parsed.reason;
    return refuse("invalid_request", reason);
  }
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("invalid_request", "the body must be a JSON object");
  }
  const given = Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => [name, Number.isSafeInteger(member) ? String(member) : member] as const);
  const notText = given.find(([, member]) => typeof member !== "string");
  if (notText !== undefined) return refuse("invalid_request", `${notText[0]} must be a string`);
  return accept(parametersOf(given));
}
