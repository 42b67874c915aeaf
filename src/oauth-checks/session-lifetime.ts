import { keptCookies, lifetimeOf, type SetCookie } from "../browser/cookies.ts";
import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import { type OAuthCheck, oauthCheck } from "./check.ts";
import { cookieJourney } from "./cookie-checks.ts";
import type { OAuthEvidence } from "./evidence.ts";
import { neededCookies, ofSession } from "./session-carriers.ts";

/** A shorter lifetime is probably in another unit than its author believes. */
const SHORTEST_SECONDS = 120;

/** The check of how long a browser keeps the session cookie. */
export const sessionLifetimeCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.session.short",
    title: "The session cookie lasts at least two minutes",
    section: "RFC 6265, 5.2.2",
    severity: "should",
    why: "Max-Age is in seconds, but the option of some frameworks is in milliseconds. Users are logged out while they still work.",
    fix: "Give the session cookie a lifetime of at least some minutes, in the unit that the framework's option expects.",
  },
  // A cookie that another one can replace may end early.
  { journey: cookieJourney, judge: ofSession(judgeLifetime, neededCookies) },
);

function judgeLifetime({ visits }: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  const names = carriers.map(({ name }) => name);
  const answers = visits.filter(({ what }) => what === "callback").flatMap(({ own }) => own);
  for (const answer of answers) {
    for (const cookie of keptCookies([answer])) {
      const seconds = names.includes(cookie.name) ? lifetimeOf(cookie, answer) : null;
      if (seconds !== null && seconds < SHORTEST_SECONDS)
        return faulty(check, `browsers keep the cookie ${cookie.name}, which carries the session, for ${seconds} s`);
    }
  }
  return PASSED;
}
