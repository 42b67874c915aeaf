import { type HeaderLines, headerValue } from "../journal/exchange.ts";
import { redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { noteText, parseJson } from "../protocol/json.ts";
import type { JsonNote } from "../protocol/json-notes.ts";
import { mediaType } from "../protocol/media-type.ts";
import type { Explanation } from "./explain-outcome.ts";

/** A whole answer of the app, decoded. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

export type JsonAnswer =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What is wrong with its Content-Type. */
      readonly typeFault: string | null;
      readonly notes: readonly JsonNote[];
      readonly warnings: readonly string[];
    }
  | ({ readonly ok: false } & Explanation);

const EXCERPT_CHARACTERS = 200;

/** The JSON value of an answer's body, or why there is none. `shape` names what was expected. */
export function readJsonAnswer({ status, headers, body }: Answer, shape: string): JsonAnswer {
  const type = mediaType(headerValue(headers, "content-type"));
  const parsed = parseJson(body);
  if (parsed.ok) {
    const isJson = type === "application/json" || type.endsWith("+json");
    const typeFault = isJson
      ? null
      : `its Content-Type is ${type === "" ? "missing" : harmlessLine(type)}, expected application/json`;
    const { value, notes } = parsed;
    return {
      ok: true,
      value,
      typeFault,
      notes,
      warnings: [...(typeFault === null ? [] : [typeFault]), ...notes.map(noteText)],
    };
  }
  const expected = `expected ${shape}`;
  if (body.length === 0) {
    return { ok: false, reason: `the app answered ${status} with an empty body, ${expected}`, hint: null };
  }
  const start = Buffer.from(body.subarray(0, 4 * EXCERPT_CHARACTERS)).toString("utf8");
  const excerpt = `its answer begins: ${clip(harmlessLine(start.trim()), EXCERPT_CHARACTERS)}`;
  if (type === "text/html" || /^\s*<(!doctype|html)/i.test(start)) {
    return { ok: false, reason: `the app answered ${status} with an HTML page, ${expected}`, hint: excerpt };
  }
  return { ok: false, reason: `the app answered ${status}, but ${parsed.reason}; ${expected}`, hint: excerpt };
}

/** What authenticated a call, which an app that refuses it should look at. */
export type Credential = "token" | "signature" | "body" | "none";

const credentialHints: Record<Credential, string | null> = {
  token:
    "does the app verify the JWT with the CLIENT_SECRET, and its aud with the CLIENT_ID, that `app-sim env` prints?",
  signature:
    "does the app verify the signature over the raw bytes of the body, with the APP_SECRET that `app-sim env` prints?",
  body: "nothing but the APP_SECRET in its body authenticates this call: it has no Authorization header and no signature",
  none: "this call carries no credentials",
};

/** The address of a redirect, made harmless and without credentials. */
function locationText(location: string): string {
  return clip(harmlessLine(redactText(location, [])), EXCERPT_CHARACTERS);
}

/** A longer body is a page. */
const OWN_WORDS_LIMIT_BYTES = 2000;

/** What frameworks say where no route fits, and what says nothing at all. */
const routingWords =
  /^(error|fail(ed|ure)?|false|404|(404 )?(page |resource |url )?not[ _-]?found\.?|no (such )?(route|endpoint|page).*|cannot (get|post)\b.*|(the )?(route|path|url|requested|resource)\b.*not\b.*found.*|the requested (url|resource).*|no handler found.*|no static resource.*|https?:.*|about:blank|\/.*|\d{4}-\d\d-.*|)$/is;

/** The words of a 404 that are not those of a router that knows no such address; null: there are none. */
function ownWords(body: Uint8Array): string | null {
  if (body.length === 0 || body.length > OWN_WORDS_LIMIT_BYTES) return null;
  const text = Buffer.from(body).toString("utf8").trim();
  if (text.startsWith("<")) return null;
  const parsed = parseJson(body);
  const words = parsed.ok && typeof parsed.value === "object" ? textsIn(parsed.value) : [text];
  const own = words.find((each) => !routingWords.test(each.trim()));
  return own === undefined ? null : clip(harmlessLine(redactText(own.trim(), [])), EXCERPT_CHARACTERS);
}

/** The texts in a JSON value; a verdict of a guard counts as one. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const { success } = value as { readonly success?: unknown };
  return [
    ...Object.values(value).flatMap(textsIn),
    ...(typeof success === "boolean" ? [JSON.stringify({ success })] : []),
  ];
}

/** Whether the app has no route for the call: its own handlers say more than that where something else is missing. */
export function isNoEndpoint({ status, body }: Answer): boolean {
  return status === 405 || (status === 404 && ownWords(body) === null);
}

/** Explains an unexpected status; a 404 by its body, too. */
export function explainStatus({ status, headers, body }: Answer, credential: Credential): Explanation {
  const location = headerValue(headers, "location");
  if (status >= 300 && status < 400 && status !== 304) {
    const where = location === undefined ? "" : ` to ${locationText(location)}`;
    return {
      reason: `the app answered ${status}, a redirect${where}, which is never followed`,
      hint: "is a login page in front of the module, or does its url differ from the route by a slash?",
    };
  }
  if (status === 401 || status === 403) {
    return {
      reason: `the app answered ${status}: it did not accept the call as authentic`,
      hint: credentialHints[credential],
    };
  }
  if (status === 404 || status === 405) {
    const said = status === 404 ? ownWords(body) : null;
    // The app's own handler was there, and did not find something else.
    if (said !== null) return { reason: `the app answered 404, in its own words: ${said}`, hint: null };
    return {
      reason: `the app answered ${status}: it has no such endpoint`,
      hint: "compare the module's url in the manifest with the app's routes",
    };
  }
  if (status === 413) {
    return {
      reason: "the app answered 413: the request is too large for it",
      hint: 'let it read larger bodies, up to 5 MB (interface 8): in Express, express.json({ limit: "6mb" }), whose default is 100 kB',
    };
  }
  return { reason: `the app answered ${status}`, hint: status >= 500 ? "look into the app's own log" : null };
}

/** Explains a status other than 200 for a file that an answer names (interface 2.4, stringsUrl and previewUrl). */
export function explainFileStatus({ status, headers }: Answer): Explanation {
  if (status === 404 || status === 410) {
    return { reason: `there is nothing (${status})`, hint: "was the file deleted too early, or is the path mistyped?" };
  }
  if (status >= 300 && status < 400) {
    const where = locationText(headerValue(headers, "location") ?? "nowhere");
    return {
      reason: `it leads elsewhere (${status} to ${where}), and is not followed`,
      hint: "name the address at which the file itself is",
    };
  }
  if (status === 401 || status === 403) {
    return {
      reason: `it is refused (${status})`,
      hint: "it is fetched without credentials: let an address that nobody can guess protect the file",
    };
  }
  return { reason: `it is answered with ${status}`, hint: status >= 500 ? "look into the app's own log" : null };
}
