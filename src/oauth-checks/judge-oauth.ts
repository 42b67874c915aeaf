import type { Verdict } from "../checking/check.ts";
import { skipVerdict, WAS_GONE } from "../checking/verdict.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { brokenAnswer, type OAuthCheck } from "./check.ts";
import { isLogin, LOGIN, type OAuthEvidence, ofJourney, visitOfRole } from "./evidence.ts";
import type { OAuthVisit } from "./visits.ts";

/** Name of the correct logins between the checks of an app. */
export const CONTROL_JOURNEY = "control";

const RAISE_THE_LIMIT =
  "Raise the app's limit for this run, or switch it off: app-sim logs in several times a second, from one address.";
const FIND_THE_CRASH = `Look in the app's own log why it went down: "${WAS_GONE}" says after which check. Then verify again.`;

/** Why a check cannot be judged. */
interface Hindrance {
  readonly verdict: Verdict;
  /** The app's last answer to the correct login; null: it was not recorded. */
  readonly exchange: Exchange | null;
}

/** The correct logins before and after the journey of a check. */
function controlsAround({ all, visits }: OAuthEvidence) {
  const places = visits.map((visit) => all.indexOf(visit));
  const isControl = ({ journey }: OAuthVisit) => journey === CONTROL_JOURNEY;
  return {
    before: all.slice(0, places[0] ?? 0).findLast(isControl),
    after: all.slice((places.at(-1) ?? -1) + 1).find(isControl),
  };
}

function isUnreachable(visit: OAuthVisit | undefined): boolean {
  return visit?.own.at(-1)?.outcome.kind === "unreachable";
}

/** Why a check cannot be judged: a correct login next to it did not succeed, or the app was gone; null: it can. */
export function hindranceOf(check: OAuthCheck, evidence: OAuthEvidence): Hindrance | null {
  if (check.needsLogin === false || !isLogin(ofJourney(evidence, LOGIN), "A")) return null;
  const controls = ofJourney(evidence, CONTROL_JOURNEY);
  const last = controls.visits.at(-1);
  if (evidence.visits.length === 0 && isUnreachable(last)) {
    return hindrance({ result: "inconclusive", reason: "the app was gone before it", hint: FIND_THE_CRASH }, last);
  }
  const { before, after } = controlsAround(evidence);
  if (before !== undefined && !isLogin(controls, before.browser)) return unmet(evidence, "before", before);
  if (isUnreachable(after)) return null;
  const limited = evidence.visits.find((visit) => isLimitedLogin(evidence, visit));
  if (limited !== undefined) return unmet(evidence, "during", limited);
  return after !== undefined && !isLogin(controls, after.browser) ? unmet(evidence, "after", after) : null;
}

function hindrance(verdict: Verdict, visit: OAuthVisit | undefined): Hindrance {
  return { verdict, exchange: visit?.own.at(-1) ?? null };
}

/** A correct login did not succeed. All that failed because the app limits logins have the same reason. */
function unmet(evidence: OAuthEvidence, when: "before" | "during" | "after", visit: OAuthVisit): Hindrance {
  if (isLimited(visit)) {
    const reason = `the app answered 429${retryAfterText(evidence)} to a correct login`;
    return hindrance({ result: "inconclusive", reason, hint: RAISE_THE_LIMIT }, visit);
  }
  const broken = brokenAnswer(visit);
  const why = broken === null ? "" : `: ${broken}`;
  return hindrance({ result: "inconclusive", reason: `${when} it, a correct login did not succeed${why}` }, visit);
}

function isLimited({ own }: OAuthVisit): boolean {
  return own.at(-1)?.response?.status === 429;
}

/** Whether a login of a check's own did not get further because the app limits logins. */
function isLimitedLogin(evidence: OAuthEvidence, visit: OAuthVisit): boolean {
  if (!isLimited(visit)) return false;
  const start = visitOfRole(ofJourney(evidence, LOGIN), "A", "start");
  const isLink = start !== undefined && new URL(start.url).pathname === new URL(visit.url).pathname;
  // An app that limits correct logins, too, does not refuse with it what a check sends.
  return isLink || ofJourney(evidence, CONTROL_JOURNEY).visits.some(isLimited);
}

/** The pause that the app first asked for: each later answer asks for another. */
function retryAfterText({ all }: OAuthEvidence): string {
  const asked = all
    .filter(isLimited)
    .map(({ own }) => headerValue(own.at(-1)?.response?.headers ?? [], "retry-after") ?? "");
  const seconds = asked.find((text) => /^\d{1,6}$/.test(text));
  return seconds === undefined ? "" : ` (Retry-After ${seconds})`;
}

/** The verdict of a check, which means nothing unless correct logins work before and after it. */
export function judgeOAuth(check: OAuthCheck, evidence: OAuthEvidence): Verdict {
  if (check.needsLogin === false) return check.judge(evidence, check);
  if (!isLogin(ofJourney(evidence, LOGIN), "A")) {
    return skipVerdict("no correct login was completed: other checks say why");
  }
  const found = hindranceOf(check, evidence);
  if (found !== null) return found.verdict;
  const { after } = controlsAround(evidence);
  if (isUnreachable(after)) return { result: "fail", reason: WAS_GONE };
  return check.judge(evidence, check);
}
