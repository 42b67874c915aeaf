import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests, isGoodPage } from "../oauth-login/checks/login-facts.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding } from "./check.ts";
import { callsApi, receivedToken, refreshesIn, visitOfRole } from "./evidence.ts";
import { earlyRefusalJourney } from "./refresh-journeys.ts";

/**
 * The check of an app that refreshes by its own clock, and so never sees the API refuse an expired token (hardening
 * C9).
 */
export const earlyRefusalCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.api.early",
    title: "When the API refuses a token before it expires, the app refreshes it and repeats the call",
    section: "5.4",
    severity: "should",
    why: "The platform may revoke a token before it expires, and clocks differ. An app that gets new tokens, but shows the old refusal, makes its user reload the page.",
    fix: "When the API answers 401, refresh once and repeat the call once; then show what it answers.",
  },
  {
    journey: earlyRefusalJourney,
    judge: (evidence, check) => {
      if (!callsApi(evidence)) return NO_SESSION_SEEN;
      const refused = visitOfRole(evidence, "A", "refused");
      if (refused === undefined) return skipVerdict("no login got that far");
      // An app that goes by its own clock alone refreshes later.
      const isRefreshed = refreshesIn(refused).some((request) => receivedToken(request, "access_token") !== null);
      if (!isRefreshed) return skipVerdict("the app did not refresh its token");
      const isServed = apiRequests(refused.requests).at(-1)?.exchange.response?.status === 200;
      if (isServed && (refused.landing.kind === "platform" || isGoodPage(refused.landing))) return PASSED;
      const what = isServed ? `it ${plainLanding(refused)}` : "its last call to the API was refused";
      return faulty(check, `the app got new tokens, but ${what}`);
    },
  },
);
