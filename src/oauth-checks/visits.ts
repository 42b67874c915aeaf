import { failureOf } from "../app-client/call-app.ts";
import { explainOutcome } from "../app-client/explain-outcome.ts";
import { addressText, isPlatformAddress } from "../browser/addresses.ts";
import { endlessRedirects } from "../browser/http-browser.ts";
import { PREPARATION } from "../checking/evidence.ts";
import type { App, Config } from "../config/schema.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { unpackedText } from "../journal/readable-body.ts";
import type { JournalRecord, OAuthRecord } from "../journal/record.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { queryParameters } from "../oauth/rules/oauth-parameters.ts";
import { verdictOfStep } from "../oauth-login/begin-login.ts";
import type { AppVisit, Authorization, LoginLanding, PlatformRequest } from "../oauth-login/checks/login-facts.ts";
import { isDecisionAbout } from "../platform/own-requests.ts";
import { parseUrl } from "../protocol/url.ts";

/** One visit of a browser to the app, as the journal has it. */
export interface OAuthVisit extends AppVisit {
  /** The journey that it is part of, such as `refresh`. */
  readonly journey: string;
  /** Name of the browser, such as `A`. */
  readonly browser: string;
  /** What it does, such as `callback`; unique within the journey and browser. */
  readonly what: string;
  /** The authorization that followed it; null: none did. */
  readonly authorization: Authorization | null;
}

/** What reading the journal of an app needs. */
export interface JournalReader {
  readonly app: App;
  readonly config: Config;
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  readonly run: number;
}

const SUBJECT = "oauth:";

/** How the exchanges of a journey are tagged. */
export function journeyTag(run: number, journey: string, browser: string, what: string) {
  return { run, subject: `${SUBJECT}${journey}`, id: null, role: `${browser}:${what}` };
}

/**
 * The records of a run, from its first exchange to the platform's decisions after its last: no verdict may depend on
 * earlier or later records.
 */
export function recordsOfRun(records: readonly JournalRecord[], run: number): readonly JournalRecord[] {
  const runOf = (record: JournalRecord) => (record.type === "exchange" ? (record.check?.run ?? null) : null);
  const first = records.findIndex((record) => runOf(record) === run);
  const last = records.findLastIndex((record) => runOf(record) === run);
  if (first < 0) return [];
  const later = records.slice(last + 1);
  const end = later.findIndex((record) => record.type === "verification" || runOf(record) !== null);
  return [...records.slice(first, last + 1), ...later.slice(0, end < 0 ? later.length : end)];
}

/**
 * The visits of all journeys of a run, oldest first. A request of the app to the platform belongs to the visit whose
 * exchange ended next, because the app makes it while it answers.
 */
export function readVisits(records: readonly JournalRecord[], reader: JournalReader): OAuthVisit[] {
  const isAboutApp = isDecisionAbout(reader.app, reader.config);
  const exchanges = new Map(records.flatMap((record) => (record.type === "exchange" ? [[record.id, record]] : [])));
  const visits = new Map<string, DraftVisit>();
  let waiting: PlatformRequest[] = [];
  let latest: DraftVisit | null = null;
  for (const record of recordsOfRun(records, reader.run)) {
    if (record.type === "exchange") {
      const { check } = record;
      if (check?.run !== reader.run || !check.subject.startsWith(SUBJECT) || check.role === PREPARATION) continue;
      const name = `${check.subject} ${check.role}`;
      const visit: DraftVisit = visits.get(name) ?? { name, own: [], requests: [], steps: [] };
      visits.set(name, visit);
      visit.own.push(record);
      visit.requests.push(...waiting);
      waiting = [];
      latest = visit;
    } else if (isAboutApp(record)) {
      const exchange = exchanges.get(record.exchange);
      if (exchange === undefined) continue;
      if (record.step === "authorize" || record.step === "consent") latest?.steps.push({ record, exchange });
      else if (record.step !== "revoke" && record.step !== "introspect") waiting.push({ record, exchange });
    }
  }
  return [...visits.values()].map((draft) => visitOf(draft, reader.platform));
}

interface DraftVisit {
  readonly name: string;
  readonly own: Exchange[];
  readonly requests: PlatformRequest[];
  readonly steps: PlatformRequest[];
}

function visitOf({ name, own, requests, steps }: DraftVisit, platform: string): OAuthVisit {
  const [, journey = "", browser = "", what = ""] = /^oauth:(\S+) ([^:]*):(.*)$/.exec(name) ?? [];
  return {
    journey,
    browser,
    what,
    own,
    requests,
    url: own[0]?.request.url ?? "",
    landing: landingOf(own, platform),
    exchanges: [...requests.map(({ exchange }) => exchange.id), ...own.map(({ id }) => id)],
    authorization: authorizationOf(steps),
  };
}

/** Redirects that a browser follows before it gives up, and the first request. */
const MOST_REQUESTS = 11;
const TEXT_CHARACTERS = 20_000;

/** Where the browser ended up. */
function landingOf(own: readonly Exchange[], platform: string): LoginLanding {
  const last = own.at(-1);
  if (last === undefined) return { kind: "trouble", reason: "it was not opened", hint: null, failure: "other" };
  const { outcome, response, request } = last;
  if (outcome.kind !== "answered") {
    return { kind: "trouble", ...explainOutcome(outcome, request.url), failure: failureOf(outcome) };
  }
  if (response === null) return { kind: "trouble", reason: "it was not answered", hint: null, failure: "other" };
  const next = redirectTarget(last)?.url ?? null;
  if (next !== null) {
    if (isPlatformAddress(platform, next)) return { kind: "platform", url: next.href };
    if (own.length >= MOST_REQUESTS) return { kind: "trouble", ...endlessRedirects };
    const reason = `the app sends the user to ${addressText(next)}, which is neither the app nor the platform`;
    return { kind: "trouble", reason, hint: null, failure: "other" };
  }
  const body = unpackedText(response);
  return {
    kind: "page",
    url: request.url,
    status: response.status,
    text: visibleText(body),
    body,
    links: linksIn(body, request.url),
  };
}

function visibleText(body: string): string {
  const start = body.slice(0, TEXT_CHARACTERS).replaceAll(/<(script|style)\b[^<]*(?:<(?!\/\1)[^<]*)*<\/\1>/gi, " ");
  return start
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function linksIn(body: string, base: string): string[] {
  const found = body.slice(0, TEXT_CHARACTERS).matchAll(/<a\b[^<>]*?\shref\s*=\s*["']?([^"'<>\s]+)/gi);
  return [...found].flatMap(([, href = ""]) => {
    const url = parseUrl(href.replaceAll("&amp;", "&"), base);
    return url === null ? [] : [url.href];
  });
}

/** The last authorization request that a visit led to, and the decision about it. */
function authorizationOf(steps: readonly PlatformRequest[]): Authorization | null {
  const index = steps.findLastIndex(({ record }) => record.step === "authorize");
  const asked = steps[index];
  if (asked === undefined) return null;
  const decided = steps[index + 1] ?? null;
  const { record, exchange } = asked.record.outcome === "asked" && decided !== null ? decided : asked;
  return {
    url: asked.exchange.request.url,
    parameters: queryParameters(asked.exchange.request.url),
    verdict: verdictIn(record, exchange),
    exchanges: [asked.exchange.id, decided?.exchange.id ?? null],
  };
}

function verdictIn({ reason, hint }: OAuthRecord, { response }: Exchange): Authorization["verdict"] {
  const location = headerValue(response?.headers ?? [], "location");
  if (location !== undefined) return verdictOfStep({ kind: "redirect", location }, reason ?? "");
  return { kind: "refused", reason: reason ?? "", hint: hint ?? "" };
}
