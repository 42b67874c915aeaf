import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { plural } from "../output/text.ts";
import { bearerRefusal } from "../protocol/bearer.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck } from "./check.ts";
import { callsApi, refreshesIn, visitOfRole } from "./evidence.ts";
import { LOOP_CALLS } from "./refresh-checks.ts";
import type { OAuthVisit } from "./visits.ts";

/** More calls to one address that is busy are a loop: libraries repeat those more often, with pauses. */
const LOOP_BUSY_CALLS = 20;
/** Enough for a page of several parts to show that it loops. */
const CHANGED_ANSWERS = 100;

/** The check of an app that repeats calls without end. */
export const endlessCallsCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.api.endless",
    title: "An API that refuses every call does not make the app try forever",
    section: "5.4",
    why: "An unlimited retry on each 401 never ends if the token is not the cause, and wastes refresh tokens. Like retries without pauses on 429, it uses up the platform's rate limit.",
    fix: "Refresh once and repeat the call once; a second 401 is final. On 429, wait between a few tries, and then give up.",
  },
  {
    journey: {
      key: "oauth.api.endless",
      run: async (tools) => {
        await tools.login("A");
        await tools.use("A", "usual");
        tools.change("api", () => bearerRefusal("invalid_token", "app-sim was asked for this"), CHANGED_ANSWERS);
        await tools.use("A", "refused");
        tools.unchanged();
        // The refusals may have ended the session.
        await tools.login("B");
        tools.change(
          "api",
          () => ({ status: 429, headers: { "content-type": "application/json" }, body: "{}" }),
          CHANGED_ANSWERS,
        );
        await tools.use("B", "busy");
        tools.unchanged();
      },
    },
    judge: (evidence, check) => {
      if (!callsApi(evidence)) return NO_SESSION_SEEN;
      const refused = visitOfRole(evidence, "A", "refused");
      if (refused === undefined) return skipVerdict("no login got that far");
      const usual = visitOfRole(evidence, "A", "usual");
      const usualCalls = Math.max(1, usual === undefined ? 0 : callsToOneAddress(usual));
      const refreshes = refreshesIn(refused).length;
      if (Math.max(callsToOneAddress(refused), refreshes) > LOOP_CALLS * usualCalls) {
        const tries = `${plural(apiRequests(refused.requests).length, "call")} and ${plural(refreshes, "refresh", "refreshes")}`;
        return faulty(check, `the API answered 401 each time: the app made ${tries} for one page`);
      }
      if (refused.landing.kind === "trouble") {
        return faulty(check, `the API answered 401 each time: ${refused.landing.reason}`);
      }
      const busy = visitOfRole(evidence, "B", "busy");
      const repeated = busy === undefined ? 0 : callsToOneAddress(busy);
      return repeated > LOOP_BUSY_CALLS * usualCalls
        ? faulty(check, `the API answered 429 each time: the app made ${repeated} calls to one address for one page`)
        : PASSED;
    },
  },
);

/** How often the app called the address of the API that it called most; parts of a page may call the same one. */
function callsToOneAddress({ requests }: OAuthVisit): number {
  const addresses = apiRequests(requests).map(({ exchange }) => exchange.request.url);
  return Math.max(0, ...addresses.map((address) => addresses.filter((each) => each === address).length));
}
