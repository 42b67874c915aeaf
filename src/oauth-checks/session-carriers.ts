import { currentCookies, type SetCookie } from "../browser/cookies.ts";
import type { Verdict } from "../checking/check.ts";
import { skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { NO_SESSION_SEEN, type OAuthCheck } from "./check.ts";
import { isLoggedIn, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthVisit } from "./visits.ts";

/** How the browsers are named whose cookies lack one, or are only one. */
export const WITHOUT = "without ";
export const ONLY = "only ";

/** The cookies that a browser received in a login, newest last. */
export function cookiesOf(evidence: Pick<OAuthEvidence, "visits">, browser: string): SetCookie[] {
  const own = evidence.visits.filter((visit) => visit.browser === browser).flatMap((visit) => visit.own);
  return currentCookies(own).filter(({ value }) => value !== "");
}

/** The cookies without which the browser is not logged in. */
export function neededCookies(evidence: OAuthEvidence): SetCookie[] {
  return cookiesTried(evidence, WITHOUT, (visit) => isLoggedIn(evidence, visit) === false);
}

/** The cookies without which the browser is not logged in, and those that are enough alone. */
export function sessionCookies(evidence: OAuthEvidence): SetCookie[] {
  const needed = neededCookies(evidence);
  // A page may greet a user by a cookie that says no more than who was here last.
  const enough = cookiesTried(
    evidence,
    ONLY,
    (visit) => isLoggedIn(evidence, visit) === true && apiRequests(visit.requests).length > 0,
  );
  return [...needed, ...enough.filter(({ name }) => !needed.some((cookie) => cookie.name === name))];
}

/** The cookies that were left out, or sent alone, in visits of which this is true. */
function cookiesTried(
  evidence: OAuthEvidence,
  how: typeof WITHOUT | typeof ONLY,
  is: (visit: OAuthVisit) => boolean,
): SetCookie[] {
  const tried = evidence.visits.filter(({ browser, what }) => browser.startsWith(how) && what === "use");
  const names = tried.filter(is).map(({ browser }) => browser.slice(how.length));
  return cookiesOf(evidence, "A").filter(({ name }) => names.includes(name));
}

/** A judge of cookies that carry the session. */
export function ofSession(
  judge: (evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]) => Verdict,
  carriersOf: (evidence: OAuthEvidence) => readonly SetCookie[],
): OAuthCheck["judge"] {
  return (evidence, check) => {
    if (isLoggedIn(evidence, visitOfRole(evidence, "A", "use")) !== true) return NO_SESSION_SEEN;
    const found = carriersOf(evidence);
    return found.length === 0
      ? skipVerdict("no single cookie decides whether the browser is logged in")
      : judge(evidence, check, found);
  };
}
