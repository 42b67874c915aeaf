import type { Choices } from "../config/choices.ts";
import type { User } from "../config/schema.ts";
import { type Exchange, headerValue, headerValues } from "../journal/exchange.ts";
import { type IssuedSecret, issuedSecrets } from "../journal/issued-secrets.ts";
import { unpackedText } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import { parameterOf, readTokenBody } from "../oauth/rules/oauth-parameters.ts";
import { apiRequests, isGoodPage, type PlatformRequest, tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { type JournalReader, type OAuthVisit, readVisits, recordsOfRun } from "./visits.ts";

/** What reading the evidence of a run needs. */
export interface EvidenceReader extends JournalReader {
  readonly choices: Choices;
  /** The user who logs in. */
  readonly user: User;
  /** Another user; null: nobody else can log in. */
  readonly other: User | null;
}

/** Everything that the verdict of an OAuth check depends on, read from the journal. */
export interface OAuthEvidence extends EvidenceReader {
  /** The visits of the check's own journey, oldest first. */
  readonly visits: readonly OAuthVisit[];
  /** Those of every journey. */
  readonly all: readonly OAuthVisit[];
  /** Every code, verifier and token of the run. */
  readonly issued: readonly IssuedSecret[];
}

/** The journey that shows what a correct login of this app looks like. */
export const LOGIN = "login";

/** Reads the journal into the evidence of the run, which includes that of each journey. */
export function oauthEvidence(records: readonly JournalRecord[], reader: EvidenceReader): OAuthEvidence {
  const all = readVisits(records, reader);
  return {
    ...reader,
    all,
    visits: all,
    issued: recordsOfRun(records, reader.run).flatMap((record) =>
      record.type === "exchange" ? issuedSecrets(record) : [],
    ),
  };
}

/** The evidence of one journey. */
export function ofJourney(evidence: OAuthEvidence, key: string): OAuthEvidence {
  return { ...evidence, visits: evidence.all.filter(({ journey }) => journey === key) };
}

/** A visit of the check's own journey; undefined: it did not get that far. */
export function visitOfRole({ visits }: Pick<OAuthEvidence, "visits">, browser: string, what: string) {
  return visits.find((visit) => visit.browser === browser && visit.what === what);
}

/** Where a visit ended, in a form that can be compared. */
function reception({ landing }: OAuthVisit): string {
  if (landing.kind !== "page") return landing.kind;
  const { origin, pathname } = new URL(landing.url);
  return `${landing.status} ${origin}${pathname}`;
}

/** The visits of the correct login's browser, and of a stranger, to the page that uses the token. */
function usesOfLogin({ all }: Pick<OAuthEvidence, "all">): { own?: OAuthVisit; stranger?: OAuthVisit } {
  const ofLogin = all.filter(({ journey, what }) => journey === LOGIN && what === "use");
  const [own, stranger] = ["A", "S"].map((name) => ofLogin.find(({ browser }) => browser === name));
  return { ...(own && { own }), ...(stranger && { stranger }) };
}

/** Whether a visit ended where that after the correct login did. Null if a stranger's ends there, too. */
function isReceivedAsOwn(evidence: Pick<OAuthEvidence, "all">, visit: OAuthVisit): boolean | null {
  const { own, stranger } = usesOfLogin(evidence);
  if (own === undefined || stranger === undefined) return null;
  return isGoodPage(own.landing) && reception(own) !== reception(stranger) ? reception(visit) === reception(own) : null;
}

/**
 * Whether the app treats the browser of a visit to the page that uses the token as logged in: it calls the API for it,
 * or answers as after the correct login. Null if a stranger gets the same answer.
 */
export function isLoggedIn(evidence: Pick<OAuthEvidence, "all">, visit: OAuthVisit | undefined): boolean | null {
  const { own, stranger } = usesOfLogin(evidence);
  if (own === undefined || stranger === undefined || visit === undefined) return null;
  if (apiRequests(stranger.requests).length > 0) return null;
  if (apiRequests(visit.requests).length > 0) return true;
  return isReceivedAsOwn(evidence, visit) ?? (apiRequests(own.requests).length > 0 ? false : null);
}

/**
 * Whether a visit shows that the browser's session is as useful as after its login. An app whose calls to the API are
 * all refused treats the browser as logged in, but may end the session because of that: only the page shows it then.
 */
export function hasSession(evidence: Pick<OAuthEvidence, "all">, visit: OAuthVisit | undefined): boolean | null {
  const isIn = isLoggedIn(evidence, visit);
  return isIn === true && visit !== undefined && isRefusedByApi(visit) ? isReceivedAsOwn(evidence, visit) : isIn;
}

/** Whether the API refused the token in every call of a visit, and the app got no other token meanwhile. */
export function isRefusedByApi({ requests }: Pick<OAuthVisit, "requests">): boolean {
  const calls = apiRequests(requests);
  const isRenewed = tokenRequests(requests).some((request) => receivedToken(request, "access_token") !== null);
  return !isRenewed && calls.length > 0 && calls.every(({ exchange }) => exchange.response?.status === 401);
}

/** Whether the app calls the API when a logged-in user opens the page that uses the token. */
export function callsApi({ all }: Pick<OAuthEvidence, "all">): boolean {
  const own = all.find(({ journey, browser, what }) => journey === LOGIN && browser === "A" && what === "use");
  return own !== undefined && apiRequests(own.requests).length > 0;
}

/** The requests with which the app exchanged a code, or tried to, during a visit. */
export function exchangesIn(visit: OAuthVisit | undefined): PlatformRequest[] {
  return tokenRequests(visit?.requests).filter((request) => sentToToken(request, "grant_type") !== "refresh_token");
}

/** The refreshes during a visit. */
export function refreshesIn(visit: OAuthVisit | undefined): PlatformRequest[] {
  return tokenRequests(visit?.requests).filter((request) => sentToToken(request, "grant_type") === "refresh_token");
}

/** A parameter of a token request; null: it was not sent, or the body cannot be read. */
export function sentToToken({ exchange: { request } }: PlatformRequest, name: string): string | null {
  const type = headerValue(request.headers, "content-type");
  const body = readTokenBody(type, Buffer.from(request.body.base64, "base64"), "json-and-form");
  return body.ok ? parameterOf(body.value, name) : null;
}

/** A token in the answer to a token request; null: it has none. */
export function receivedToken(
  { exchange: { response } }: PlatformRequest,
  name: "access_token" | "refresh_token",
): string | null {
  if (response?.status !== 200) return null;
  try {
    const value = (JSON.parse(unpackedText(response)) as Readonly<Record<string, unknown>> | null)?.[name];
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** The access token of a call to the API; null: it has none. */
function usedToken({ exchange: { request } }: PlatformRequest): string | null {
  return /^bearer +(.+)$/i.exec(headerValue(request.headers, "authorization") ?? "")?.[1] ?? null;
}

/** The access tokens of the calls to the API during these visits that the platform never issued. */
function strangeTokens(
  { issued }: Pick<OAuthEvidence, "issued">,
  visits: readonly (OAuthVisit | undefined)[],
): string[] {
  const known = new Set(issued.flatMap(({ name, value }) => (name === "access_token" ? [value] : [])));
  const used = visits.flatMap((visit) => apiRequests(visit?.requests ?? []).map(usedToken));
  return used.filter((token) => token !== null && !known.has(token)) as string[];
}

/** Whether the app calls the API during these visits with something that the platform never issued as an access token. */
export function usesStrangeToken(
  evidence: Pick<OAuthEvidence, "issued">,
  visits: readonly (OAuthVisit | undefined)[],
): boolean {
  return strangeTokens(evidence, visits).length > 0;
}

/** How programs write a value that is missing. */
const MISSING = /^(undefined|null|none|nil|nan|false|\[object object\]|\{\}|\[\])$/i;

/** How the app called the API during these visits without a token of its user, as a clause; null: it did not. */
export function strangeCallText(
  evidence: Pick<OAuthEvidence, "issued">,
  visits: readonly (OAuthVisit | undefined)[],
): string | null {
  const [strange] = strangeTokens(evidence, visits);
  if (strange !== undefined) {
    const what = MISSING.test(strange) ? `\`Bearer ${strange}\`` : "a token that is not an access token";
    return `the app called the API with ${what}`;
  }
  const calls = visits.flatMap((visit) => apiRequests(visit?.requests ?? []));
  return calls.some((call) => usedToken(call) === null) ? "the app called the API without a token" : null;
}

/** Whether the app got tokens for a code during a visit. */
export function gotTokens(visit: OAuthVisit | undefined): boolean {
  return exchangesIn(visit).some((request) => receivedToken(request, "access_token") !== null);
}

/**
 * Whether a login succeeded in a browser: its callback led to tokens and a page that is not an error, and if that can
 * be seen, the browser is logged in.
 */
export function isLogin(evidence: OAuthEvidence, browser: string): boolean {
  const callback = visitOfRole(evidence, browser, "callback");
  if (!gotTokens(callback) || !isGoodPage(callback?.landing)) return false;
  const use = visitOfRole(evidence, browser, "use");
  return use === undefined || hasSession(evidence, use) !== false;
}

/** The user on whose behalf the API was called during a visit; null: nobody. */
export function servedUsers(visit: OAuthVisit | undefined): number[] {
  return apiRequests(visit?.requests ?? []).flatMap(({ record }) => (record.user === null ? [] : [record.user.id]));
}

/** The headers of an answer with this name. */
export function answeredHeaders({ response }: Exchange, name: string): string[] {
  return headerValues(response?.headers ?? [], name);
}
