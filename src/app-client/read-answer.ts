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
  token: "does the app verify the JWT with the CLIENT_SECRET that `app-sim env` prints?",
  signature:
    "does the app verify the signature over the raw bytes of the body, with the APP_SECRET that `app-sim env` prints?",
  body: "nothing but the APP_SECRET in its body authenticates this call: it has no Authorization header and no signature",
  none: "this call carries no credentials",
};

/** The address of a redirect, made harmless and without credentials. */
function locationText(location: string): string {
  return clip(harmlessLine(redactText(location, [])), EXCERPT_CHARACTERS);
}

/** Explains an unexpected status, whatever the body. */
export function explainStatus({ status, headers }: Answer, credential: Credential): Explanation {
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
    return {
      reason: `the app answered ${status}: it has no such endpoint`,
      hint: "compare the module's url in the manifest with the app's routes",
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
