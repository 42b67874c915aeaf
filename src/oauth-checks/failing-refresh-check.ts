import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck, plainLanding } from "./check.ts";
import { callsApi, type OAuthEvidence, refreshesIn, strangeCallText, visitOfRole } from "./evidence.ts";
import { judgeKeptSession, judgeRecovery } from "./kept-session.ts";
import { failedRefreshJourney, failingRefreshJourney } from "./refresh-journeys.ts";

type JudgeOfBrowser = (evidence: OAuthEvidence, check: OAuthCheck, browser: string) => Verdict;

/** Judges the browser in which the app tried a refresh during the fault, if there is one. */
function judgeFailedRefresh(judge: JudgeOfBrowser): OAuthCheck["judge"] {
  return (evidence, check) => {
    if (!callsApi(evidence)) return NO_SESSION_SEEN;
    const browser = evidence.visits.some((visit) => visit.browser === "W") ? "W" : "A";
    if (refreshesIn(visitOfRole(evidence, browser, "failed")).length === 0) {
      return skipVerdict("the app did not refresh its token");
    }
    return judge(evidence, check, browser);
  };
}

/**
 * An app may end the session after half an answer: the refresh token may have been used up. But what it could not read
 * is no token.
 */
function judgeHalfAnswer(evidence: OAuthEvidence, check: OAuthCheck, browser: string): Verdict {
  const visits = ["garbled", "after-garbled"].map((what) => visitOfRole(evidence, browser, what));
  if (refreshesIn(visits[0]).length === 0) return PASSED;
  const call = strangeCallText(evidence, visits);
  return call === null ? PASSED : faulty(check, `the answer to a refresh was cut off, and ${call}`);
}

/** The check of what happens to a session when the token endpoint has a fault. */
export const failingRefreshCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.refresh.failing",
    title: "A temporary fault of the token endpoint does not end the session",
    section: "5.3",
    severity: "should",
    why: "A 503 from the token endpoint says nothing about the refresh token, and a truncated answer is not a new token. A user who reloads the page expects to continue.",
    fix: "Show an error page, and keep session and tokens: only invalid_grant is about the refresh token. Store tokens only after you have read the whole answer.",
  },
  {
    journey: failingRefreshJourney,
    judge: judgeFailedRefresh((evidence, check, browser) => {
      const failed = visitOfRole(evidence, browser, "failed");
      if (failed?.landing.kind === "trouble") return faulty(check, `the refresh failed: ${plainLanding(failed)}`);
      const kept = judgeKeptSession(evidence, check, browser, "the refresh failed temporarily");
      return kept.result === "pass" ? judgeHalfAnswer(evidence, check, browser) : kept;
    }),
  },
);

/** The check that an app which spares the platform after a fault does not do so for ever. */
export const recoveringRefreshCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.refresh.recovers",
    title: "A minute after a fault of the token endpoint, the session can be used again",
    section: "5.3",
    severity: "should",
    isSlow: true,
    why: "Apps lock a session during its refresh, and spare a platform that fails. A lock that is left behind by a failed refresh, or a pause that never ends, locks the user out although the platform works again.",
    fix: "Release the lock in `finally`, whatever the platform answered; after a pause of at most a minute, ask again.",
  },
  {
    journey: failedRefreshJourney,
    judge: judgeFailedRefresh(judgeRecovery),
  },
);
