import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyText, recordBody } from "../../journal/journal.ts";
import type { Redactor } from "../../journal/redact.ts";
import { plural } from "../../output/text.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { A_JWT, type RequestProperties, requestProperties } from "./request-properties.ts";

/** A property in which two requests differ, redacted for display. */
export interface Difference {
  /** Such as `token.claims.exp`. */
  readonly property: string;
  /** null: the request does not have it. */
  readonly control: string | null;
  readonly twin: string | null;
}

/** The claims that differ in every new token. */
const renewed: ReadonlySet<string> = new Set(["token.claims.iat", "token.claims.jti", "token.signature"]);
const lifetimes: ReadonlySet<string> = new Set(["token.claims.exp", "token.claims.nbf"]);
const VALUE_CHARACTERS = 120;
const MAX_DIFFERENCES = 6;

/**
 * How a twin differs from its control, decoded: the property that the check changes; if that does not differ,
 * everything that does, apart from what differs in every new token.
 * @param changes the property, as the check declares it; null: it declares none
 */
export function requestDifferences(
  control: Exchange,
  twin: Exchange,
  changes: string | null,
  redactor: Redactor,
): Difference[] {
  if (changes === "json.spelling") return [respelled];
  const replaced = changes === "body" || changes === "json" ? replacedObject(control, twin, redactor) : null;
  if (replaced !== null) return [replaced];
  const right = rightOf(control, twin);
  const [before, after] = [requestProperties(right.request), requestProperties(twin.request)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !isDeepStrictEqual(before.get(name), after.get(name)),
  );
  // If one of them has no JWT, that is the whole difference.
  const telling = names.includes("token") ? names.filter((name) => !isWithToken(name)) : names;
  const relevant = stateLast(relevantOf(telling, changes, before, after));
  const show = [shower(right, before, redactor), shower(twin, after, redactor)] as const;
  return relevant.slice(0, MAX_DIFFERENCES).map((property) => {
    const [shown, other] = [show[0](property), show[1](property)];
    const isHidden = shown === other;
    const how = isHidden ? otherWords(property, before.get(property), after.get(property)) : "";
    return { property, control: shown, twin: isHidden ? how : other };
  });
}

/** Each delivery has other events, so the bodies themselves would not show it. */
const respelled: Difference = {
  property: "body",
  control: "as JSON.stringify writes it",
  twin: "written differently, with the same meaning",
};

/** A body that is no object instead of one that is: a list of its missing fields would not say that. */
function replacedObject(control: Exchange, twin: Exchange, redactor: Redactor): Difference | null {
  const [before, after] = [control, twin].map(({ request }) => bodyText(request.body).trimStart());
  if (before?.startsWith("{") !== true || after === undefined || after.startsWith("{")) return null;
  const shown = after === "" ? "empty" : clip(harmlessLine(redactor.text(after)), VALUE_CHARACTERS);
  return { property: "body", control: "a JSON object", twin: shown };
}

/** Every login has another state, so it is seldom what matters. */
function stateLast(names: readonly string[]): readonly string[] {
  const isState = (name: string) => name === "url.state" || name === "form.state";
  return [...names.filter((name) => !isState(name)), ...names.filter(isState)];
}

/** How two hidden values differ: only by their length. */
function otherWords(property: string, before: unknown, after: unknown): string {
  if (property === "token.signature") return "another signature";
  if (typeof before !== "string" || typeof after !== "string" || before.length === after.length)
    return "another hidden value";
  return `another hidden value with ${plural(after.length, "character")} instead of ${before.length}`;
}

/** The base of the twin: the control, unless it was changed after signing. */
function rightOf(control: Exchange, twin: Exchange): Exchange {
  const signed = twin.check?.signed;
  if (signed === undefined) return control;
  return { ...twin, request: { ...twin.request, body: recordBody(Buffer.from(signed)) } };
}

/** Properties that come and go with the token. */
function isWithToken(name: string): boolean {
  return name.startsWith("token.") || name === "headers.authorization";
}

/** The relevant names: the declared property, or else all that do not differ in every token. */
function relevantOf(
  names: readonly string[],
  changes: string | null,
  before: RequestProperties,
  after: RequestProperties,
): readonly string[] {
  const isRenewed = (name: string) =>
    renewed.has(name) || (lifetimes.has(name) && hasSameLifetime(name, before, after));
  const declared = names.filter((name) => changes !== null && isPartOf(name, changes));
  const others = (declared.length > 0 ? declared : names).filter((name) => !isRenewed(name));
  if (declared.length === 0 || others.length > 0) return others;
  // A signature changes with every claim: it is shown only if nothing else was changed.
  return declared.filter((name) => name === "token.signature" || declared.length === 1);
}

function isPartOf(name: string, changes: string): boolean {
  if (changes === "token.proof") return name.startsWith("token.header.") || name === "token.signature";
  if (changes === "token.spelling") return name === "token" || name.startsWith("token.");
  if (changes === "signature") return /^headers\..*-(?:signature|timestamp)$/.test(name);
  if (changes === "token") return name === "token" || name === "headers.authorization";
  return name === changes || name.startsWith(`${changes}.`);
}

function hasSameLifetime(name: string, before: RequestProperties, after: RequestProperties): boolean {
  const lifetime = (properties: RequestProperties) =>
    Number(properties.get(name)) - Number(properties.get("token.claims.iat"));
  return Math.abs(lifetime(before) - lifetime(after)) <= 1;
}

/** Shows the properties of a request without its secrets. */
function shower(exchange: Exchange, raw: RequestProperties, redactor: Redactor) {
  const hidden = requestProperties(redactor.exchange(exchange).request);
  return (name: string): string | null => {
    if (!raw.has(name)) return null;
    if (name === "token.signature") return signatureText(String(raw.get(name)));
    const value = name.startsWith("token") ? raw.get(name) : hidden.has(name) ? hidden.get(name) : "‹hidden›";
    const text = name === "token" ? spelling(String(value)) : JSON.stringify(value);
    return (
      clip(harmlessLine(redactor.text(text)), VALUE_CHARACTERS) +
      timeText(name, value, raw.get("token.claims.iat"), exchange)
    );
  };
}

function signatureText(signature: string): string {
  return signature === "" ? "empty" : `${signature.length} characters`;
}

/** What stands where the token should be: a text in place of a JWT may contain one. */
function spelling(text: string): string {
  if (text === A_JWT) return text;
  if (text === "") return "empty";
  const { length } = text.split(".");
  if (length === 1) return JSON.stringify(text);
  return length === 3 ? "3 parts that are not a JWT" : `${length} parts, but a JWT has 3`;
}

/** A time of a token relative to when it was sent: by `iat`, also in whole seconds, unless that was changed. */
function timeText(name: string, value: unknown, issued: unknown, { startedAt }: Exchange): string {
  if (!lifetimes.has(name) || typeof value !== "number") return "";
  const sent = Date.parse(startedAt) / 1000;
  const now = typeof issued === "number" && Math.abs(issued - sent) < 2 ? issued : Math.floor(sent);
  const seconds = Math.round(value - now);
  return seconds < 0 ? ` (${-seconds} s before it was sent)` : ` (${seconds} s after it was sent)`;
}
