import { A_MOMENT_SECONDS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type Journey, NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding } from "./check.ts";
import { gotTokens, hasSession, type OAuthEvidence, refreshesIn, visitOfRole } from "./evidence.ts";
import { withTokenMembers } from "./token-checks.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

const LATER = "use-later";
/** A lifetime that is over in a moment if it is taken for milliseconds. */
const TOKEN_MINUTES = 30;
/**
 * Lifetimes for apps that refresh a token some seconds before its end, each for a browser of its own: taken for
 * milliseconds, it leaves the token as it is at first, and has it refreshed a moment later.
 */
const lifetimesByMargin = [5, 10, 30, 60].map((margin) => ({
  browser: `S${margin}`,
  seconds: (margin + 1.5) * 1000,
}));

/** A login whose user takes a moment to consent, and another before the next page. */
const slowUser: Journey = {
  key: "oauth.slow-user",
  run: async (tools) => {
    const { clock, signal } = tools.context;
    const address = await tools.begin("S");
    await clock.pause(A_MOMENT_SECONDS * 1000, signal);
    for (const { browser, seconds } of lifetimesByMargin) {
      await comeBack(tools, browser, await tools.begin(browser), seconds);
      await tools.use(browser);
    }
    // Some apps keep only the last session of each user: it comes last.
    await comeBack(tools, "S", address, TOKEN_MINUTES * 60);
    if ((await tools.use("S")) === null) return;
    await clock.pause(A_MOMENT_SECONDS * 1000, signal);
    for (const browser of ["S", ...lifetimesByMargin.map((each) => each.browser)]) await tools.use(browser, LATER);
  },
};

/** Opens the callback of a login whose access token is valid for so many seconds. */
async function comeBack(tools: OAuthTools, browser: string, address: string, seconds: number): Promise<void> {
  tools.change("token", withTokenMembers({ expires_in: seconds }), 1);
  await tools.open(browser, "callback", address);
  tools.unchanged();
}

/** The page as it was opened at once, and a moment later. */
function usesOf(evidence: OAuthEvidence, browser: string): (OAuthVisit | undefined)[] {
  return ["use", LATER].map((what) => visitOfRole(evidence, browser, what));
}

const milliseconds =
  "A lifetime in seconds that is taken for milliseconds passes every quick test, but is too short for people.";

/** The checks of a user who is slower than a program. */
export const slowUserChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.callback.later",
      title: `A user who takes ${A_MOMENT_SECONDS} seconds to consent is logged in`,
      section: "5.2",
      why: `People read what they consent to. ${milliseconds}`,
      fix: "Keep the state and the verifier of a login for at least some minutes.",
    },
    {
      journey: slowUser,
      judge: (evidence, check) => {
        const callback = visitOfRole(evidence, "S", "callback");
        if (callback === undefined || evidence.choices["oauth.code.lifetime"] <= 2 * A_MOMENT_SECONDS)
          return skipVerdict("the login did not get that far in time");
        return gotTokens(callback)
          ? PASSED
          : faulty(check, `the app exchanges no code after ${A_MOMENT_SECONDS} seconds: it ${plainLanding(callback)}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.session.later",
      title: `A user is still logged in after ${A_MOMENT_SECONDS} seconds`,
      section: "5.4",
      why: `Otherwise users have to log in again and again. ${milliseconds}`,
      fix: "Keep a session for as long as its refresh token works, or at least for some minutes.",
    },
    {
      journey: slowUser,
      judge: (evidence, check) => {
        const [use, later] = ["use", LATER].map((what) => hasSession(evidence, visitOfRole(evidence, "S", what)));
        if (use !== true || later == null) return NO_SESSION_SEEN;
        return later ? PASSED : faulty(check, "the session is over");
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.refresh.later",
      title: `A token that is valid for ${TOKEN_MINUTES} minutes or more is not refreshed after ${A_MOMENT_SECONDS} seconds`,
      section: "2.7",
      why: "expires_in is in seconds. Taken for milliseconds, it makes almost every page refresh its token, and no quick test shows that.",
      fix: "Add expires_in seconds, not milliseconds, to the time at which the token came.",
    },
    {
      journey: slowUser,
      judge: (evidence, check) => {
        const [, later] = usesOf(evidence, "S");
        if (later === undefined || apiRequests(later.requests).length === 0) return NO_SESSION_SEEN;
        const tried = [{ browser: "S", seconds: TOKEN_MINUTES * 60 }, ...lifetimesByMargin];
        const refreshed = tried.find(({ browser }) => {
          const [first, second] = usesOf(evidence, browser);
          // Some apps refresh long before the end: these have already done that.
          return first !== undefined && refreshesIn(first).length === 0 && refreshesIn(second).length > 0;
        });
        return refreshed === undefined
          ? PASSED
          : faulty(check, `the app refreshed a token that is valid for ${withCommas(refreshed.seconds)} seconds`);
      },
    },
  ),
];
