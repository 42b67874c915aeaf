import { addressText } from "../../../browser/addresses.ts";
import type { CheckFacts, Evidence, TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { isSamePlace } from "../../../protocol/url.ts";
import { guardCallbackPath } from "../../../web/login-paths.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { type PageReturn, returnOf } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";

/** A check of how a page sends its user back. */
export type ReturnCheck = TrialCheck<FormTools>;
type Facts = Omit<CheckFacts, "area" | "section" | "severity"> & Partial<Pick<CheckFacts, "section" | "severity">>;

/** Why the return must be right. */
export const STRANDED =
  "The platform accepts the user's return at only one address, in one form. Anything else ends the login with an error.";
/** Why a state must come back unchanged. */
export const EXACT_STATE =
  "The platform finds the login by its state. One that comes back changed belongs to no login, and the user is stranded.";
/** How to keep a state unchanged. */
export const KEEP_STATE =
  "Keep the state as read from the query, and encode it once with encodeURIComponent or its equivalent.";
/** Why a check of the return has nothing to look at. */
export const NOT_BACK = "the form did not send the user back";

/** The verdict of checks of cookies on a page that sets none. */
export const NO_COOKIES = skipVerdict("the page keeps nothing in cookies");

/** Why checks with two users have nothing to look at. */
export const OTHER_STAYS =
  'another user does not pass the page: if users fill in different values, give them by role, such as "fill": { "pin": { "manager": "2468", "member": "1357" } }';

/** Where the last request in a role ended up; null: there is none. */
export function lastIn({ steps, landing }: Evidence, role: string): Exchange | null {
  const step = steps.findLast((each) => each.role === role);
  return step === undefined ? null : landing(step.exchange);
}

/** How the last request in a role sent the user back; null: it did not. */
export function returnIn(evidence: Evidence, role: string): PageReturn | null {
  const landing = lastIn(evidence, role);
  return landing && returnOf(landing);
}

/** The state in the page's URL, as the app received it. */
export function stateIn({ steps }: Evidence, role: string): string | null {
  const opened = steps.find((step) => step.role === role);
  return opened === undefined ? null : new URL(opened.exchange.request.url).searchParams.get("state");
}

/** The finding about a return whose state is missing, or is not that of the page's URL. */
export function stateCameBack({ state }: PageReturn): string {
  return state.length === 0 ? "no state came back" : "another state came back";
}

/** What is wrong with the state that came back, where this one was in the page's URL. */
export function stateFault(back: PageReturn, state: string | null): string | null {
  return back.state.length === 1 && back.state[0] === state ? null : stateCameBack(back);
}

/** A check that passes or fails the page, and looks at how the user comes back. */
export function returnCheck(
  facts: Facts,
  look: (back: PageReturn, evidence: Evidence) => string | null,
  how: "pass" | "fail" = "pass",
): ReturnCheck {
  const check: ReturnCheck = {
    area: "page",
    section: "4.2",
    severity: "must",
    ...facts,
    run: async (tools) => {
      if (how === "fail") await tools.fail("returned");
      else await tools.submit("returned", await tools.login("opened"));
    },
    judge: (evidence) => {
      const back = returnIn(evidence, "returned");
      if (back === null) return skipVerdict(NOT_BACK);
      const fault = look(back, evidence);
      return fault === null ? PASSED : faulty(check, fault);
    },
  };
  return check;
}

/** What is wrong with how the user came back, whatever the outcome. */
export function wayFault({ status }: PageReturn): string | null {
  if (status === null) return "the user came back by a link or element of the page";
  return status === 302 ? null : `the user came back with status ${status}`;
}

/** What is wrong with the address to which the user was sent. */
export function addressFault({ url }: PageReturn, platform: PagePlatform): string | null {
  const right = platform.url + guardCallbackPath(platform.domain);
  if (url.username !== "") return "the address has a user name before its host";
  const isRight = isSamePlace(url, new URL(right)) && url.pathname === new URL(right).pathname;
  return isRight ? null : `the user was sent to ${addressText(url)}, not to ${right}`;
}

/** What is wrong with the outcome's place in the address. */
export function queryFault({ isInQuery, url }: PageReturn): string | null {
  if (!isInQuery) return "the outcome is after #, which no server sees";
  return url.hash === "" ? null : "there is something after #";
}

/** What is wrong with how the address is encoded (RFC 3986, 2.1). */
export function encodingFault({ raw, url }: PageReturn): string | null {
  if (!/^[\x21-\x7e]+$/.test(raw) || /["<>\\^`{|}]/.test(raw)) return "the address has characters that must be encoded";
  try {
    decodeURIComponent(url.search);
    return null;
  } catch {
    return "the query is not percent-encoded UTF-8";
  }
}
