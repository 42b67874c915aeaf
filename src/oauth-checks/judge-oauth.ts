import type { Verdict } from "../checking/check.ts";
import { skipVerdict } from "../checking/verdict.ts";
import type { OAuthCheck } from "./check.ts";
import { isLogin, LOGIN, type OAuthEvidence, ofJourney } from "./evidence.ts";

/** Name of the correct logins between the checks of an app. */
export const CONTROL_JOURNEY = "control";

/** The verdict of a check, which means nothing unless correct logins work before and after it. */
export function judgeOAuth(check: OAuthCheck, evidence: OAuthEvidence): Verdict {
  if (check.needsLogin === false) return check.judge(evidence, check);
  const { all, visits } = evidence;
  if (!isLogin(ofJourney(evidence, LOGIN), "A")) {
    return skipVerdict("no correct login was completed: other checks say why");
  }
  const controls = ofJourney(evidence, CONTROL_JOURNEY);
  const places = visits.map((visit) => all.indexOf(visit));
  const before = all.slice(0, places[0] ?? 0).findLast(({ journey }) => journey === CONTROL_JOURNEY);
  const after = all.slice((places.at(-1) ?? -1) + 1).find(({ journey }) => journey === CONTROL_JOURNEY);
  if (before !== undefined && !isLogin(controls, before.browser)) {
    return { result: "inconclusive", reason: "before it, a correct login did not succeed" };
  }
  if (after?.own.at(-1)?.outcome.kind === "unreachable") return { result: "fail", reason: "the app was gone after it" };
  if (after !== undefined && !isLogin(controls, after.browser)) {
    return { result: "inconclusive", reason: "after it, a correct login did not succeed" };
  }
  return check.judge(evidence, check);
}
