import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { hasCode, isPassed } from "../walk/answer.ts";
import { cookiesAfter } from "../walk/login.ts";
import { NOT_BACK, type ReturnCheck, returnIn, stateCameBack, stateIn } from "./page-return.ts";

/** A login, a later one of the same user in the same browser, and one in a new browser. */
const [FIRST, AGAIN, ALONE] = ["first", "again", "alone"];
const opened = (login: string | undefined) => `opened ${login}`;
const returned = (login: string | undefined) => `returned ${login}`;

/** The check of a browser that has passed the page before. */
export const againCheck: ReturnCheck = {
  id: "page.logins.again",
  area: "page",
  title: "A user who has passed the page passes it again in the same browser",
  section: "3.1",
  severity: "must",
  why: "The same people log in every day. If a session still has the state of an earlier login, or that it is over, its browser is locked out until the cookie is gone.",
  fix: "Begin each login anew: store its data under its state, and end what the session has of an earlier one.",
  run: async (tools) => {
    const login = async (name: string | undefined, cookies?: string) =>
      tools.submit(returned(name), await tools.login(opened(name), cookies === undefined ? {} : { cookies }));
    const first = await login(FIRST);
    const cookies = first !== null && isPassed(first) ? cookiesAfter(first) : null;
    if (cookies === null) return;
    await login(AGAIN, cookies);
    await login(ALONE);
  },
  judge: (evidence) => {
    if (!hasCode(returnIn(evidence, returned(FIRST)))) return skipVerdict(NOT_BACK);
    const state = stateIn(evidence, opened(AGAIN));
    if (state === null) return skipVerdict("the page keeps nothing in cookies");
    // The page may send a user back at once whom it knows.
    const back = returnIn(evidence, returned(AGAIN)) ?? returnIn(evidence, opened(AGAIN));
    if (back !== null && hasCode(back)) {
      return back.state[0] === state ? PASSED : faulty(againCheck, `${stateCameBack(back)} in the same browser`);
    }
    return hasCode(returnIn(evidence, returned(ALONE)))
      ? faulty(againCheck, "there was no code in the same browser; in a new one there is")
      : skipVerdict("the page lets this user pass only once");
  },
};
