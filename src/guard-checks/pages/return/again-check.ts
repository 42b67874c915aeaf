import { cookiesIn, keptBack, sentCookies } from "../../../browser/cookies.ts";
import { cookieHeader } from "../../../checking/cookies.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { hasCode, isPassed, returnOf } from "../walk/answer.ts";
import { cookiesAfter } from "../walk/login.ts";
import { lastIn, NOT_BACK, type ReturnCheck, returnIn, stateCameBack, stateIn } from "./page-return.ts";

/** A login, a later one of the same user in the same browser, and one in a new browser. */
const [FIRST, AGAIN, ALONE] = ["first", "again", "alone"] as const;
const opened = (login: string) => `opened ${login}`;
const returned = (login: string) => `returned ${login}`;

/** The check of a browser that has passed the page before. */
export const againCheck: ReturnCheck = {
  id: "page.logins.again",
  area: "page",
  title: "A user who has passed the page passes it again in the same browser",
  section: "3.1",
  severity: "must",
  why: "The same people log in every day. If a session keeps the state of an earlier login, or remembers that it is over, the browser is locked out until the cookie is gone.",
  fix: "Begin each login anew: store its data under its state, and clear what the session keeps of an earlier one.",
  run: async (tools) => {
    const login = async (name: string, cookies?: string) => {
      const form = await tools.login(opened(name), cookies === undefined ? {} : { cookies });
      return { page: form?.walked[0], landing: await tools.submit(returned(name), form) };
    };
    const { page, landing } = await login(FIRST);
    if (page === undefined || landing === null || !isPassed(landing)) return;
    const cookies = cookiesFor(page, landing);
    if (cookies === null) return;
    await login(AGAIN, cookies);
    await login(ALONE);
  },
  judge: (evidence) => {
    if (!hasCode(returnIn(evidence, returned(FIRST)))) return skipVerdict(NOT_BACK);
    const state = stateIn(evidence, opened(AGAIN));
    if (state === null) return skipVerdict("the page keeps nothing in cookies");
    const sent = lastIn(evidence, returned(AGAIN));
    const last = sent ?? lastIn(evidence, opened(AGAIN));
    // The page may send a user back at once whom it knows.
    const back = last && returnOf(last);
    if (back !== null && hasCode(back)) {
      return back.state[0] === state ? PASSED : faulty(againCheck, `${stateCameBack(back)} in the same browser`);
    }
    // It may also show such a user a form that the configuration does not know.
    if (sent === null && (last?.response?.status ?? 0) < 400)
      return skipVerdict("the page knows the user, and asks something else");
    return hasCode(returnIn(evidence, returned(ALONE)))
      ? faulty(againCheck, "the user got no code in the same browser, but gets one in a new browser")
      : skipVerdict("the page lets this user pass only once");
  },
};

/** The cookies that a browser has after a login and sends to the page, as the value of a Cookie header; null: none. */
function cookiesFor(page: Exchange, landing: Exchange): string | null {
  const cookies = sentCookies([["Cookie", cookiesAfter(landing) ?? ""]]);
  const [from, to] = [landing, page].map(({ request }) => new URL(request.url)) as [URL, URL];
  for (const cookie of cookiesIn(landing)) if (keptBack(cookie, from, to) !== null) cookies.delete(cookie.name);
  return cookieHeader(cookies);
}
