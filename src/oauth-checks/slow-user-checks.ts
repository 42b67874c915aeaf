import { A_MOMENT_SECONDS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { type Journey, NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding } from "./check.ts";
import { gotTokens, hasSession, refreshesIn, visitOfRole } from "./evidence.ts";
import { withTokenMembers } from "./token-checks.ts";

const LATER = "use-later";
/** A lifetime that is over in a moment if it is taken for milliseconds. */
const TOKEN_MINUTES = 30;

/** A login whose user takes a moment to consent, and another before the next page. */
const slowUser: Journey = {
  key: "oauth.slow-user",
  run: async (tools) => {
    const { clock, signal } = tools.context;
    const address = await tools.begin("S");
    await clock.pause(A_MOMENT_SECONDS * 1000, signal);
    tools.change("token", withTokenMembers({ expires_in: TOKEN_MINUTES * 60 }), 1);
    await tools.open("S", "callback", address);
    tools.unchanged();
    if ((await tools.use("S")) === null) return;
    await clock.pause(A_MOMENT_SECONDS * 1000, signal);
    await tools.use("S", LATER);
  },
};

const milliseconds = "A lifetime in seconds that is taken for milliseconds passes every test, but fails every person.";

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
      why: `Otherwise every second page asks for a new login. ${milliseconds}`,
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
      title: `A token that is valid for ${TOKEN_MINUTES} minutes is not refreshed after ${A_MOMENT_SECONDS} seconds`,
      section: "2.7",
      why: "expires_in is in seconds. Taken for milliseconds, it makes almost every page refresh its token, and no quick test shows that.",
      fix: "Add expires_in seconds, not milliseconds, to the time at which the token came.",
    },
    {
      journey: slowUser,
      judge: (evidence, check) => {
        const [use, later] = ["use", LATER].map((what) => visitOfRole(evidence, "S", what));
        if (later === undefined || apiRequests(later.requests).length === 0) return NO_SESSION_SEEN;
        // Some apps refresh long before the end: these have already done that.
        const isRefreshed = refreshesIn(use).length === 0 && refreshesIn(later).length > 0;
        return isRefreshed ? faulty(check, "the app refreshed the token") : PASSED;
      },
    },
  ),
];
