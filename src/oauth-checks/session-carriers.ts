import { currentCookies, type SetCookie } from "../browser/cookies.ts";
import type { Verdict } from "../checking/check.ts";
import { skipVerdict } from "../checking/verdict.ts";
import { NO_SESSION_SEEN, type OAuthCheck } from "./check.ts";
import { isLoggedIn, type OAuthEvidence, visitOfRole } from "./evidence.ts";

/** How the browsers are named whose cookies lack one, or are only one. */
export const WITHOUT = "without ";
export const ONLY = "only ";

/** The cookies that a browser received in a login, newest last. */
export function cookiesOf(evidence: Pick<OAuthEvidence, "visits">, browser: string): SetCookie[] {
  const own = evidence.visits.filter((visit) => visit.browser === browser).flatMap((visit) => visit.own);
  return currentCookies(own).filter(({ value }) => value !== "");
}

/** The names of the cookies without which the browser is not logged in. */
export function neededCookies(evidence: OAuthEvidence): string[] {
  return cookiesTried(evidence, WITHOUT, false);
}

/** The names of cookies that were left out, or sent alone, with this result. */
function cookiesTried(evidence: OAuthEvidence, how: typeof WITHOUT | typeof ONLY, isIn: boolean): string[] {
  return evidence.visits
    .filter(({ browser, what }) => browser.startsWith(how) && what === "use")
    .filter((visit) => isLoggedIn(evidence, visit) === isIn)
    .map(({ browser }) => browser.slice(how.length));
}

/** The cookies without which the browser is not logged in, and those that are enough alone. */
export function carriersIn(evidence: OAuthEvidence): SetCookie[] {
  const carriers = [...neededCookies(evidence), ...cookiesTried(evidence, ONLY, true)];
  return cookiesOf(evidence, "A").filter(({ name }) => carriers.includes(name));
}

/** A judge of the cookies that carry the session. */
export function ofSession(
  judge: (evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]) => Verdict,
): OAuthCheck["judge"] {
  return (evidence, check) => {
    if (isLoggedIn(evidence, visitOfRole(evidence, "A", "use")) !== true) return NO_SESSION_SEEN;
    const found = carriersIn(evidence);
    return found.length === 0 ? skipVerdict("no single cookie carries the session") : judge(evidence, check, found);
  };
}
