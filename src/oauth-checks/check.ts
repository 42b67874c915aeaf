import type { CheckFacts, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { apiRequests, landingText } from "../oauth-login/checks/login-facts.ts";
import { exchangesIn, gotTokens, isLoggedIn, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

/** What browsers do with an app, for one check or several. */
export interface Journey {
  readonly key: string;
  /**
   * Drives the browsers; each visit has a unique name.
   * @throws NotPrepared if the app does not continue
   */
  run(tools: OAuthTools): Promise<void>;
}

/** A check of the app as an OAuth client, judged by its journey's records in the journal. */
export interface OAuthCheck extends CheckFacts {
  readonly area: "oauth";
  readonly journey: Journey;
  /** Whether the verdict is meaningful only if correct logins work before and after the journey; default true. */
  readonly needsLogin?: boolean;
  /** A pure function of the evidence. */
  judge(evidence: OAuthEvidence, check: OAuthCheck): Verdict;
  /** The answer behind a finding, if that may be one of another journey; null: it is not. */
  shows?(evidence: OAuthEvidence): Exchange | null;
}

/** What a check declares. */
export type OAuthCheckText = Pick<CheckFacts, "id" | "title" | "section" | "why" | "fix"> &
  Partial<Pick<CheckFacts, "severity" | "choices" | "isSlow">>;

export function oauthCheck(
  text: OAuthCheckText,
  parts: Pick<OAuthCheck, "journey" | "judge" | "needsLogin" | "shows">,
): OAuthCheck {
  return { area: "oauth", severity: "must", ...text, ...parts };
}

export const NO_SESSION_SEEN = skipVerdict(
  'nothing shows who is logged in: name a page that calls the API each time it is opened, as "verify": {"oauth": {"start": "/login", "use": "/projects"}}',
);

/** The fault of an app that calls the API with something that the platform never issued as an access token. */
export const STRANGE_TOKEN = "a call to the API has a token that is not an access token";

/** The first verdict that is not a pass. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  const order = ["fail", "warn", "inconclusive", "skip"] as const;
  for (const wanted of order) {
    const found = verdicts.find(({ result }) => result === wanted);
    if (found !== undefined) return found;
  }
  return PASSED;
}

/** Why an answer is not a decision of the app; null: it is one. */
export function brokenAnswer({ landing }: Pick<OAuthVisit, "landing">): string | null {
  // Redirects elsewhere do not matter here.
  if (landing.kind === "trouble") {
    return /neither the app nor the platform/.test(landing.reason) ? null : landing.reason;
  }
  return landing.kind === "page" && landing.status >= 500 ? `the app answered ${landing.status}` : null;
}

/** A callback that must log nobody in. */
export interface RefusedVisit {
  readonly browser: string;
  /** The callback, as the beginning of a sentence: `a callback without state`. */
  readonly what: string;
  /** Whether calling the token endpoint all the same is a fault; default yes. */
  readonly asking?: "fault" | "needless" | "right";
  /** Server errors with which a correct app may answer; any other is then a warning. Default: each is a fault. */
  readonly mayFailWith?: readonly number[];
  /** Names of the visits to the callback, and to the page that uses the token. */
  readonly visit?: string;
  readonly use?: string;
}

/** Judges a callback that must log nobody in. */
export function judgeRefusal(
  evidence: OAuthEvidence,
  check: OAuthCheck,
  { browser, what, asking = "fault", mayFailWith, visit = "callback", use = "use" }: RefusedVisit,
): Verdict {
  const callback = visitOfRole(evidence, browser, visit);
  if (callback === undefined) return skipVerdict("the login did not get that far");
  if (isLoggedIn(evidence, visitOfRole(evidence, browser, use)) === true) {
    return faulty(check, `${what} logs the browser in`);
  }
  if (visit === "callback" && usesApi(evidence, callback)) return faulty(check, `${what} makes the app call the API`);
  if (gotTokens(callback)) return faulty(check, `${what} makes the app exchange a code for tokens`);
  const asks = exchangesIn(callback).length > 0;
  const asked = `${what} makes the app call the token endpoint`;
  if (asks && asking === "fault") return faulty(check, asked);
  const broken = brokenAnswer(callback);
  // The interface does not show how an app should handle a refusal by the platform.
  const mayBreak = asking === "right" || (asks && asking === "needless");
  const { landing } = callback;
  if (broken !== null && !(mayBreak && landing.kind === "page")) {
    const reason = `after ${what}: ${broken}, which is not a refusal`;
    if (landing.kind !== "page" || mayFailWith === undefined) return faulty(check, reason);
    if (!mayFailWith.includes(landing.status)) return { result: "warn", reason };
  }
  return asks && asking === "needless" ? { result: "warn", reason: asked } : PASSED;
}

/** Whether the app calls the API during a visit, which it does only for logged-in users. */
export function usesApi(evidence: OAuthEvidence, visit: OAuthVisit): boolean {
  return apiRequests(visit.requests).length > 0 && isLoggedIn(evidence, visit) === true;
}

/** A landing as the end of a sentence, without the page's text, which may repeat secrets. */
export function plainLanding({ landing }: Pick<OAuthVisit, "landing">): string {
  if (landing.kind === "page") return `answered ${landing.status}`;
  return landingText(landing);
}
