import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { answersCheck, sharedCacheCheck } from "./answer-checks.ts";
import { type Journey, NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding } from "./check.ts";
import {
  callsApi,
  hasSession,
  isLoggedIn,
  isLogin,
  LOGIN,
  type OAuthEvidence,
  servedUsers,
  visitOfRole,
} from "./evidence.ts";
import { openRedirectCheck } from "./open-redirect-check.ts";
import { withOvertaking } from "./overtaking.ts";
import { LOGGED_IN, mixesTokens, openPagesAtOnce } from "./pages-at-once.ts";

const mixed =
  "People log in at the same time all day long. If one gets another's session, they see and change data that is not theirs.";
const perSession = "Keep the state, the verifier and the tokens in the browser's session, never in a global variable.";

const twoUsers: Journey = {
  key: "oauth.session.two-users",
  run: async (tools) => {
    const [ofA, ofB] = [await tools.begin("A"), await tools.begin("B", { user: tools.subject.other })];
    await tools.open("B", "callback", ofB);
    await tools.open("A", "callback", ofA);
    await tools.use("A");
    await tools.use("B");
    await tools.use("A", "use-again");
  },
};

const overtaking: Journey = {
  key: "oauth.session.at-once",
  run: async (tools) => {
    const [ofA, ofB] = [await tools.begin("A"), await tools.begin("B", { user: tools.subject.other })];
    await withOvertaking(tools, "token", () =>
      Promise.all([tools.open("A", "callback", ofA), tools.open("B", "callback", ofB)]),
    );
    await tools.use("A");
    await tools.use("B");
    // And two simultaneous ones: shared data gets mixed up between the answer and its use.
    const [ofC, ofD] = [await tools.begin("C"), await tools.begin("D", { user: tools.subject.other })];
    await Promise.all([tools.open("C", "callback", ofC), tools.open("D", "callback", ofD)]);
    await openPagesAtOnce(tools);
  },
};

/** Judges browsers in which two users logged in alternately. */
function judgePair(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const begun = new Set(evidence.visits.filter(({ what }) => what === "start").map(({ browser }) => browser));
  const browsers = ["A", "B", "C", "D"].filter((browser) => browser < "C" || begun.has(browser));
  const callbacks = browsers.map((browser) => visitOfRole(evidence, browser, "callback"));
  if (callbacks.includes(undefined)) return skipVerdict("the logins did not get that far");
  const refused = callbacks.find((callback) => callback?.landing.kind === "page" && callback.landing.status >= 400);
  if (refused !== undefined)
    return faulty(check, `one of two simultaneous logins was refused: the app ${plainLanding(refused)}`);
  const { user, other } = evidence;
  const isEverServed = (id: number) => evidence.all.some((visit) => servedUsers(visit).includes(id));
  const isShown = evidence.visits.some(
    (visit) => visit.browser === "B" && visit.what === "use" && isLoggedIn(evidence, visit) === true,
  );
  // Nothing is known about an app that never calls the API.
  if (isShown && other !== null && isEverServed(user.id) && !isEverServed(other.id))
    return faulty(check, "one of two users is shown a page although the API was never called on their behalf");
  if (!callsApi(evidence)) return NO_SESSION_SEEN;
  for (const visit of evidence.visits.filter(({ what }) => what.startsWith("use"))) {
    const own = visit.browser === "A" || visit.browser === "C" ? user.id : (other ?? user).id;
    const served = servedUsers(visit);
    if (served.some((id) => id !== own))
      return faulty(check, "one browser is served with the token of the other browser's user");
    if (hasSession(evidence, visit) === false) {
      return faulty(check, `one of two browsers is not served with its own token: the app ${plainLanding(visit)}`);
    }
  }
  if (mixesTokens(evidence, LOGGED_IN))
    return faulty(check, "when two users open the page at once, both are served with the token of one of them");
  return PASSED;
}

const fixation: Journey = {
  key: "oauth.session.fixation",
  run: async (tools) => {
    await tools.begin("A");
    await tools.use("A", "use-before");
    await tools.fork("A", "B");
    await tools.login("B");
    await tools.use("A");
    // If each login starts with new cookies, those of a pending login may be planted, along with its URL.
    const underWay = await tools.begin("C");
    await tools.fork("C", "D");
    await tools.open("D", "callback", underWay);
    await tools.use("C");
  },
};

/** Whether the cookies from before a login are enough after another browser's login; null: unknown. */
function isFixed(evidence: OAuthEvidence, [before, loggedIn]: readonly [string, string]): boolean | null {
  return isLogin(evidence, loggedIn) ? isLoggedIn(evidence, visitOfRole(evidence, before, "use")) : null;
}

/** Who is logged in, and where (hardening C2, C4). */
export const oauthSessionChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.session.stranger",
      title: "A browser that is not logged in gets nothing from somebody else's session",
      section: "5.4",
      why: "A token acts on behalf of the user who granted it. An app that keeps one for all visitors gives that user's data to everybody.",
      fix: perSession,
    },
    {
      journey: { key: LOGIN, run: async () => {} },
      needsLogin: false,
      judge: (evidence, check) => {
        const stranger = visitOfRole(evidence, "S", "use");
        if (stranger === undefined || !callsApi(evidence)) return NO_SESSION_SEEN;
        const served = servedUsers(stranger).length > 0;
        return served ? faulty(check, "a browser without cookies is served with the token of a user") : PASSED;
      },
    },
  ),
  answersCheck,
  sharedCacheCheck,
  oauthCheck(
    {
      id: "oauth.session.two-users",
      title: "Two users who log in at the same time each get their own session",
      section: "5.2",
      why: mixed,
      fix: perSession,
    },
    { journey: twoUsers, judge: judgePair },
  ),
  oauthCheck(
    {
      id: "oauth.session.at-once",
      title:
        "Two simultaneous callbacks do not mix their tokens, even if one overtakes the other, and neither do two pages",
      section: "5.2",
      why: mixed,
      fix: "Keep the data of one request in local variables of its handler: while one waits for the platform, another runs.",
    },
    { journey: overtaking, judge: judgePair },
  ),
  oauthCheck(
    {
      id: "oauth.session.switched",
      title: "A browser that logs in as another user is served as that user",
      section: "5.4",
      why: "People share computers and have several accounts. A new user must not act on behalf of the previous one.",
      fix: "Replace session and tokens on each login, instead of keeping existing ones.",
    },
    {
      journey: {
        key: "oauth.session.switched",
        run: async (tools) => {
          await tools.login("A");
          const second = await tools.begin("A", { user: tools.subject.other, what: "start-other" });
          await tools.open("A", "callback-other", second);
          await tools.use("A", "use-other");
        },
      },
      judge: (evidence, check) => {
        const use = visitOfRole(evidence, "A", "use-other");
        if (use === undefined || evidence.other === null)
          return skipVerdict("the app starts no login for a user who is already logged in");
        if (!callsApi(evidence)) return NO_SESSION_SEEN;
        const isOld = servedUsers(use).includes(evidence.user.id);
        return isOld ? faulty(check, "after a login as another user, the app uses the token of the first") : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.session.fixation",
      title: "A session from before the login is not upgraded by the login",
      section: "5.2",
      why: "An attacker who plants a cookie in a browser knows its value. If the user's login upgrades that session, the attacker is logged in, too.",
      fix: "Give the browser a new session id on login, at the same time as storing the tokens.",
    },
    {
      journey: fixation,
      judge: (evidence, check) => {
        if (!isLogin(evidence, "B") && !isLogin(evidence, "D"))
          return skipVerdict("a login with the cookies of another browser does not succeed");
        const before = isLoggedIn(evidence, visitOfRole(evidence, "A", "use-before"));
        const after = [isFixed(evidence, ["A", "B"]), isFixed(evidence, ["C", "D"])];
        if (before !== false || after.every((each) => each === null)) return NO_SESSION_SEEN;
        return after.includes(true)
          ? faulty(check, "the cookies that a browser had before its login are enough to be logged in after it")
          : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.session.planted",
      title: "A session planted in another browser is not taken over by that browser's user",
      section: "5.2",
      why: "An attacker may plant the cookie of their own session in a browser. If the user's login takes over that session, both share it.",
      fix: "Give the browser a new session id on each login, even if it has one.",
    },
    {
      journey: {
        key: "oauth.session.planted",
        run: async (tools) => {
          await tools.login("A");
          await tools.fork("A", "B");
          const other = await tools.begin("B", { user: tools.subject.other, what: "start-other" });
          await tools.open("B", "callback-other", other);
          await tools.use("A", "use-after");
        },
      },
      judge: (evidence, check) => {
        const after = visitOfRole(evidence, "A", "use-after");
        const { other, user } = evidence;
        if (after === undefined || other === null || other.id === user.id)
          return skipVerdict("the app starts no login for a user who is already logged in");
        if (!callsApi(evidence)) return NO_SESSION_SEEN;
        const isShared = servedUsers(after).includes(other.id);
        return isShared
          ? faulty(check, "the browser that planted its session is served with the token of the user who logged in")
          : PASSED;
      },
    },
  ),
  openRedirectCheck,
];
