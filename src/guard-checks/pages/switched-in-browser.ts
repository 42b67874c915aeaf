import { sharedBrowser } from "../../browser/shared-browser.ts";
import type { CheckFacts, Verdict } from "../../checking/check.ts";
import { checkResult } from "../../checking/check-result.ts";
import { BROWSED } from "../../checking/evidence.ts";
import { taggedContext } from "../../checking/subject.ts";
import type { Verification } from "../../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import { type InstalledGuard, letsInWith, type Person } from "../call.ts";
import { OTHER_STAYS } from "./return/page-return.ts";
import { switchedCheck } from "./return/switched-check.ts";
import { findOther, NO_CODE_NEEDED } from "./walk/other-user.ts";
import { type UnusualWalk, type WalkWithToken, walkWithToken } from "./walk/replay.ts";
import type { PageWay } from "./walk/walk.ts";
import { walkedCode } from "./walk/walked-code.ts";

/** The check of whose code a user gets from a page in a frame. */
export const frameSwitchedCheck: CheckFacts = {
  id: "page.frame.switched",
  area: "page",
  title: "A user who logs in where another did before gets a code of their own from the page in the frame",
  section: "3.1",
  severity: "must",
  why: switchedCheck.why,
  fix: "Take the user from the token that each page is opened with, and replace whatever cookies and localStorage still hold from an earlier login.",
};

/** A page that a browser has passed. */
interface BrowsedPage {
  readonly guard: InstalledGuard;
  readonly person: Person;
  readonly way: PageWay;
  readonly passed: Pick<WalkWithToken, "keepsData">;
}

/** A walk, and whether the code that it brought lets its user in. */
export interface RedeemedWalk {
  readonly walk: Pick<WalkWithToken, "outcome" | "callback" | "state">;
  readonly isLetIn: boolean;
}

/** Verifies that one user's login in a browser leaves nothing to the next user's, for a page that a browser walks. */
export async function verifySwitched(
  verification: Verification,
  check: CheckFacts,
  { guard, person, way, passed }: BrowsedPage,
): Promise<CheckResult[]> {
  const { choices, run, wants } = verification;
  const { key } = guard.module;
  const about = { title: `page of ${key}`, module: key };
  if (!wants(check)) return [];
  const skipped = (reason: string) => skippedChecks(about, [check], reason);
  if (!passed.keepsData) return skipped("the page keeps nothing in the browser");
  const subject = `page.switched:${key}`;
  const other = await findOther(verification, guard, subject, person);
  if (!other.needsCode) return skipped(NO_CODE_NEEDED);
  const context = taggedContext(verification.context, { run, subject, id: null, role: BROWSED });
  const page = { context, choices, guard };
  const logIn = async (who: Person, unusual: UnusualWalk = {}) => {
    const walk = await walkWithToken(page, who, way, unusual);
    const code = walkedCode(walk);
    return { walk, isLetIn: code !== null && (await letsInWith(context, page, who, code)) };
  };
  const inOneBrowser = async () => {
    const shared = sharedBrowser();
    try {
      return { first: await logIn(person, { shared }), after: await logIn(other.person, { shared }) };
    } finally {
      await shared.close(context.clock);
    }
  };
  const alone = [await logIn(other.person)];
  const tries = [await inOneBrowser()];
  if (tries.some(({ after }) => isWrong(after))) {
    // A busy machine may be the reason, which is unlikely twice.
    tries.push(await inOneBrowser());
    alone.push(await logIn(other.person));
  }
  const walks = [...tries.flatMap(({ first, after }) => [first, after]), ...alone];
  const exchanges = walks.flatMap(({ walk }) => walk.exchanges);
  return [checkResult(about, check, judgeSwitched(check, tries, alone), exchanges)];
}

/** Two logins in one browser, one after the other. */
export interface SharedLogins {
  readonly first: RedeemedWalk;
  /** Another user's. */
  readonly after: RedeemedWalk;
}

/**
 * The verdict on the logins of a user in browsers in which somebody else has passed the page: all of them are wrong, or
 * none counts.
 * @param alone that user's logins in browsers of their own
 */
export function judgeSwitched(
  check: CheckFacts,
  tries: readonly SharedLogins[],
  alone: readonly RedeemedWalk[],
): Verdict {
  if (!tries.every(({ first }) => walkedCode(first.walk) !== null))
    return skipVerdict("the page was not passed in the browser that both users share");
  if (!alone.every(({ isLetIn }) => isLetIn)) return skipVerdict(OTHER_STAYS);
  // Asking such a user to end the other's session first is right, too.
  if (!tries.every(({ after }) => isWrong(after))) return PASSED;
  return tries.some(({ after }) => hasOtherState(after))
    ? faulty(check, "that user came back with the state of the previous login")
    : faulty(check, "the code with which that user came back did not let them in");
}

function isWrong(after: RedeemedWalk): boolean {
  return hasOtherState(after) || (walkedCode(after.walk) !== null && !after.isLetIn);
}

/** Whether a redirect brought the user back with another state; a frame gets none. */
function hasOtherState({ walk: { callback, state } }: RedeemedWalk): boolean {
  return callback !== null && callback.searchParams.get("state") !== state;
}
