import type { CheckFacts, Verdict } from "../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { OTHER_STAYS } from "./return/page-return.ts";
import { switchedCheck } from "./return/switched-check.ts";
import type { WalkWithToken } from "./walk/replay.ts";
import { walkedCode } from "./walk/walked-code.ts";

/** The check of whose code a user gets from a page in a frame. */
export const frameSwitchedCheck: CheckFacts = {
  id: "page.frame.switched",
  area: "page",
  title: "A user who logs in where another did before gets a code of their own from the page in the frame",
  section: "3.1",
  severity: "must",
  why: switchedCheck.why,
  fix: "Take the user from the token that each page is opened with, and replace whatever cookies, localStorage and sessionStorage still hold from an earlier login. If a browser is meant to stay its first user's, leave this check out: --skip page.frame.switched.",
};

/** A walk, and whether the code that it brought lets its user in. */
export interface RedeemedWalk {
  readonly walk: Pick<
    WalkWithToken,
    "outcome" | "callback" | "state" | "exchanges" | "buttons" | "endButtons" | "isDeadEnd"
  >;
  readonly isLetIn: boolean;
}

/** Two logins in one browser, one after the other. */
export interface SwitchedLogins {
  readonly first: RedeemedWalk;
  /** Another user's, and once more if it was in vain: an app may use the first one to end the other's session. */
  readonly after: RedeemedWalk;
}

/**
 * The verdict on the logins of a user in browsers in which somebody else has passed the page: all of them are wrong, or
 * none counts.
 * @param alone that user's logins in browsers of their own
 */
export function judgeSwitched(
  check: CheckFacts,
  tries: readonly SwitchedLogins[],
  alone: readonly RedeemedWalk[],
): Verdict {
  if (!tries.every(({ first }) => walkedCode(first.walk) !== null))
    return skipVerdict("the page was not passed in the browser that both users share");
  if (!tries.every(({ after }) => after.walk.exchanges.length > 0))
    return skipVerdict("the page could not be opened again in the browser that both users share");
  if (!alone.every(({ isLetIn }) => isLetIn)) return skipVerdict(OTHER_STAYS);
  // Asking such a user to end the other's session first is right, too.
  if (!tries.every((logins) => isWrongAfter(logins, alone))) return PASSED;
  if (tries.some(({ first, after }) => hasStateOf(after, first)))
    return faulty(check, "that user came back with the state of the previous login");
  return tries.some(({ after }) => isInVain(after, alone))
    ? faulty(
        check,
        "that user pressed, twice, what lets them pass in a browser of their own, and was offered nothing else",
      )
    : faulty(check, "the code with which that user came back did not let them in");
}

/** Whether the second of two logins went wrong. @param alone the same user's logins in browsers of their own */
export function isWrongAfter({ first, after }: SwitchedLogins, alone: readonly RedeemedWalk[]): boolean {
  return isWrongLogin(after, first) || isInVain(after, alone);
}

/**
 * Whether a login ended at a page that offers nothing but the buttons that let its user pass elsewhere. Another button,
 * field or link may lead on.
 */
export function isInVain({ walk }: RedeemedWalk, alone: readonly RedeemedWalk[]): boolean {
  const offered = alone.flatMap(({ walk: { buttons } }) => buttons);
  const isSame = walk.endButtons.length > 0 && walk.endButtons.every((text) => offered.includes(text));
  const isForNow = walk.exchanges.some(({ response }) => response?.status === 429 || response?.status === 503);
  return walk.outcome === null && walk.isDeadEnd && isSame && !isForNow;
}

/** Two logins in two tabs of one browser, whose pages were both open before anything was done in them. */
export interface TwoTabs<Login extends RedeemedWalk = RedeemedWalk> {
  /** Of the tab that was opened first, and used first. */
  readonly older: Login;
  /** Another user's. */
  readonly newer: Login;
}

/**
 * The verdict on logins in two tabs: something is wrong in all tries, or none counts.
 * @param alone logins of both users in browsers of their own; none are needed if nothing is wrong
 */
export function judgeTwoTabs(check: CheckFacts, tries: readonly TwoTabs[], alone: readonly RedeemedWalk[]): Verdict {
  if (!tries.every(isMixed)) {
    const isBack = tries.some(({ newer }) => walkedCode(newer.walk) !== null);
    // Refusing the page of a login that was replaced is right, too.
    return isBack ? PASSED : skipVerdict("the tab that was opened last did not come back with a code");
  }
  if (!alone.every(({ isLetIn }) => isLetIn)) return skipVerdict(OTHER_STAYS);
  return tries.some(({ older, newer }) => hasStateOf(older, newer) || hasStateOf(newer, older))
    ? faulty(check, "the page of one came back with the state of the other")
    : faulty(check, "the code of one user's page does not let that user in");
}

/** Whether one of the tabs came back as the other. */
export function isMixed({ older, newer }: TwoTabs): boolean {
  return isWrongLogin(older, newer) || isWrongLogin(newer, older);
}

/** Whether a user came back with the state of the other login, or with a code that is not theirs. */
function isWrongLogin(login: RedeemedWalk, other: RedeemedWalk): boolean {
  return hasStateOf(login, other) || (walkedCode(login.walk) !== null && !login.isLetIn);
}

/** Whether a redirect brought the user back with the state of another login; a frame gets none. */
function hasStateOf({ walk: { callback } }: RedeemedWalk, { walk: { state } }: RedeemedWalk): boolean {
  return callback !== null && callback.searchParams.get("state") === state;
}
