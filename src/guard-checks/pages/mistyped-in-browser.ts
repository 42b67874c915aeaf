import type { CheckFacts, Verdict } from "../../checking/check.ts";
import { checkResult } from "../../checking/check-result.ts";
import { BROWSED } from "../../checking/evidence.ts";
import { taggedContext } from "../../checking/subject.ts";
import type { Verification } from "../../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import { letsInWith } from "../call.ts";
import type { mistypedCheck } from "./form/mistyped-check.ts";
import type { BrowsedPage } from "./logins-in-browser.ts";
import { fillOf } from "./walk/fill-by-role.ts";
import { mistypedWay } from "./walk/mistyped-way.ts";
import { type WalkWithToken, walkWithToken } from "./walk/replay.ts";
import { walkedCode } from "./walk/walked-code.ts";

/** The check of a frame's page that asks again after a wrong password. */
export const frameMistypedCheck: CheckFacts = {
  id: "page.frame.mistyped",
  area: "page",
  title: "A page in a frame that asks again after a wrong password can be passed with the right one",
  section: "4.2",
  severity: "must",
  why: "Everybody mistypes sometimes. A page whose button stays disabled, or whose second try is never sent, lets nobody continue, and every login without a mistake still works.",
  fix: "After a refusal, enable the buttons again and send the next try as the first one; or call AP.verifyAuth({ error }).",
  mayLockOut: true,
};

/** A login in which the user mistyped first. */
interface MistypedLogin {
  readonly walk: Pick<WalkWithToken, "askedAgain" | "outcome" | "trouble" | "exchanges">;
  readonly isLetIn: boolean;
}

/** Verifies that a page that a browser walks can be passed after a wrong password. */
export async function verifyMistyped(
  { choices, context, run, wants }: Verification,
  check: typeof mistypedCheck | typeof frameMistypedCheck,
  { guard, person, way }: BrowsedPage,
): Promise<CheckResult[]> {
  if (!wants(check)) return [];
  const { key } = guard.module;
  const about = { title: `page of ${key}`, module: key };
  const wrong = mistypedWay(way, person);
  if (wrong === null)
    return skippedChecks(about, [check], "the configuration has no password for the page, or it asks for none");
  const page = {
    context: taggedContext(context, { run, subject: `page.mistyped:${key}`, id: null, role: BROWSED }),
    choices,
    guard,
  };
  const logIn = async (unusual: Parameters<typeof walkWithToken>[3], by = way): Promise<MistypedLogin> => {
    const walk = await walkWithToken(page, person, by, unusual);
    const code = walkedCode(walk);
    return { walk, isLetIn: code !== null && (await letsInWith(page.context, page, person, code)) };
  };
  const thenRight = { fill: fillOf(way.answers.fill ?? {}, person.user), press: [way.answers.press ?? []].flat() };
  const mistype = () => logIn({ thenRight }, wrong);
  const first = await mistype();
  let verdict = judgeMistyped(check, first);
  // A busy machine may be the reason, which is unlikely twice; and an app may lock out who mistypes.
  if (verdict.result === "fail" || verdict.result === "warn")
    verdict = (await logIn({})).isLetIn
      ? judgeMistyped(check, await mistype())
      : skipVerdict("the app locks its user out");
  return [checkResult(about, check, verdict, first.walk.exchanges)];
}

/** The verdict on a page after a wrong password. */
function judgeMistyped(check: CheckFacts, { walk, isLetIn }: MistypedLogin): Verdict {
  if (walk.askedAgain === "no") return skipVerdict("after a wrong password the page does not ask for it again");
  if (walk.askedAgain === "stuck")
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
