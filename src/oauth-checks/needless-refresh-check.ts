import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { unpackedText } from "../journal/readable-body.ts";
import { apiRequests, type PlatformRequest } from "../oauth-login/checks/login-facts.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck } from "./check.ts";
import { callsApi, exchangesIn, LOGIN, type OAuthEvidence, receivedToken, refreshesIn } from "./evidence.ts";

/** Apps refresh tokens some time before their end: those that live longer than this are far from it. */
const LONG_SECONDS = 1800;

/** The check of an app that refreshes whenever it needs a token. */
export const needlessRefreshCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.refresh.needless",
    title: "A new access token is used without a refresh",
    section: "5.3",
    severity: "should",
    why: "A refresh for each page makes each page wait for another request, uses up rate limits, and ends the session as soon as two pages get in each other's way.",
    fix: "Keep the access token, and refresh it when it is about to expire or the API answers 401.",
  },
  {
    journey: { key: LOGIN, run: async () => {} },
    needsLogin: false,
    judge: (evidence, check) => {
      if (!callsApi(evidence)) return NO_SESSION_SEEN;
      if (lifetimeIn(evidence) < LONG_SECONDS) return skipVerdict("its access tokens are valid only for a short time");
      const isRefreshed = evidence.visits.some(
        (visit) => refreshesIn(visit).length > 0 && apiRequests(visit.requests).every(isServed),
      );
      return isRefreshed ? faulty(check, "the app refreshed a token that it had just received") : PASSED;
    },
  },
);

function isServed({ exchange }: PlatformRequest): boolean {
  return exchange.response?.status === 200;
}

/** Seconds for which the tokens of the first login are valid. */
function lifetimeIn({ visits }: OAuthEvidence): number {
  const right = visits.flatMap(exchangesIn).find((request) => receivedToken(request, "access_token") !== null);
  if (right?.exchange.response == null) return 0;
  const { expires_in } = JSON.parse(unpackedText(right.exchange.response)) as { readonly expires_in?: unknown };
  return typeof expires_in === "number" ? expires_in : 0;
}
