import type { CheckFacts, Verdict } from "../../checking/check.ts";
import { checkResult } from "../../checking/check-result.ts";
import { BROWSED } from "../../checking/evidence.ts";
import { taggedContext } from "../../checking/subject.ts";
import type { Verification } from "../../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import { asksForSecret } from "./form/secret-fields.ts";
import { type BrowsedPage, logInByWalk, type WalkedLogin } from "./logins-in-browser.ts";
import { fillOf } from "./walk/fill-by-role.ts";
import { mistypedWay } from "./walk/mistyped-way.ts";

/** The check of a frame's page that asks again after a wrong password. */
export const frameMistypedCheck: CheckFacts = {
  id: "page.frame.mistyped",
  area: "page",
  title: "A page in a frame that asks again after a wrong password can be passed with the right one",
  section: "4.2",
  severity: "must",
  why: "Everybody mistypes sometimes. A page whose button stays disabled, or that never sends the second try, lets nobody continue, while every login without a mistake works.",
  fix: "After a refusal, enable the buttons again and send the next try like the first one; or call AP.verifyAuth({ error }).",
  mayLockOut: true,
};

/** How long a user waits in the second walk: many apps take no try at once after a wrong one. */
const PATIENT = { pauseMs: 6000, patienceMs: 40_000 } as const;

const LOCKED_OUT = skipVerdict(
  "after a wrong password the user does not get past the page any more: the app may lock them out",
);

/** Verifies that a page that a browser walks can be passed after a wrong password. */
export async function verifyMistyped(
  { choices, context, run, wants }: Verification,
  check: CheckFacts,
  { guard, person, way, passed }: BrowsedPage,
): Promise<CheckResult[]> {
  if (!wants(check)) return [];
  const { key } = guard.module;
  const about = { title: `page of ${key}`, module: key };
  const [shown] = passed.exchanges;
  const isSecret = (name: string) => shown !== undefined && asksForSecret(shown, name);
  const wrong = mistypedWay(way, person, isSecret);
  if (wrong === null)
    return skippedChecks(about, [check], "the configuration has no password for the page, or it asks for none");
  const page = {
    context: taggedContext(context, { run, subject: `page.mistyped:${key}`, id: null, role: BROWSED }),
    choices,
    guard,
  };
  const thenRight = {
    fill: fillOf(way.answers.fill ?? {}, person.user),
    press: [way.answers.press ?? []].flat(),
    isSecret,
  };
  const mistype = (patient = { pauseMs: 0, patienceMs: 0 }) =>
    logInByWalk(page, person, wrong, { thenRight: { ...thenRight, ...patient } });
  const first = await mistype();
  const verdict = judgeMistyped(check, first);
  const isFault = verdict.result === "fail" || verdict.result === "warn";
  // A busy machine may be the reason, which is unlikely twice; and an app may lock out users who mistype.
  const isLockedOut = isFault && !(await logInByWalk(page, person, way)).isLetIn;
  const last = isFault && !isLockedOut ? judgeMistyped(check, await mistype(PATIENT)) : verdict;
  return [checkResult(about, check, isLockedOut ? LOCKED_OUT : last, first.walk.exchanges)];
}

/** The verdict on a page after a wrong password. */
function judgeMistyped(check: CheckFacts, { walk, isLetIn }: WalkedLogin): Verdict {
  if (walk.askedAgain === "no") return skipVerdict("after a wrong password the page does not ask for it again");
  const isBackWithError = walk.outcome !== null && "error" in walk.outcome;
  if (walk.askedAgain === "stuck" && isBackWithError)
    return skipVerdict("after a wrong password the page comes back with an error");
  if (walk.askedAgain === "stuck" && walk.outcome === null)
    return faulty(check, "after a wrong password the page asks for it again, but its button cannot be pressed");
  if (isLetIn) return PASSED;
  if (walk.outcome !== null && "code" in walk.outcome)
    return faulty(check, "the code that came after a wrong and then the right password did not let the user in");
  const says = walk.outcome === null ? "did not bring the user back" : "came back with an error";
  return {
    result: "warn",
    reason: `after a wrong password the page asked for it again, and ${says} with the right one`,
  };
}
