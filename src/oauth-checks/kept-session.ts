import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { headerValue } from "../journal/exchange.ts";
import { type AppVisit, apiRequests, isGoodPage, tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { type OAuthCheck, plainLanding } from "./check.ts";
import { hasSession, isRefusedByApi, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

/** How long an app waits that spares a failing platform, such as one with a circuit breaker, if it does not say so. */
const USUAL_PAUSE_S = 6;
const LONGEST_PAUSE_S = 10;

/** The answers of an app that is temporarily unable to serve a page. */
const TEMPORARY = [429, 502, 503, 504];

/** Whether the app answered with an error of its own, which says nothing about the session. */
function isOwnError({ landing }: Pick<AppVisit, "landing">): boolean {
  return landing.kind === "page" && (landing.status === 429 || landing.status >= 500);
}

/** Seconds until an app that cannot serve a page should be asked again; 0: it wants a longer pause than is useful. */
function pauseAfter({ own }: Pick<AppVisit, "own">): number {
  const asked = headerValue(own.at(-1)?.response?.headers ?? [], "retry-after") ?? "";
  if (!/^\d+$/.test(asked)) return USUAL_PAUSE_S;
  return Number(asked) <= LONGEST_PAUSE_S ? Number(asked) : 0;
}

/** Opens the page that uses the token after a temporary fault of the platform. */
export async function useAfterFault(tools: OAuthTools, browser: string): Promise<void> {
  const after = await tools.use(browser, "after");
  if (after === null) return;
  // An app may end a session when the API refuses its token, and answer with a page all the same.
  const isRefused = tools.visitsOf(browser).some((visit) => visit.what === "after" && isRefusedByApi(visit));
  if (isGoodPage(after.landing) && !isRefused) return;
  const { clock, signal } = tools.context;
  if (isOwnError(after)) await clock.pause(pauseAfter(after) * 1000, signal);
  // A busy app may need another moment; a session that was lost stays lost.
  await tools.use(browser, "after-again");
}

/**
 * Judges whether a session outlives a temporary fault of the platform.
 * @param fault what happened, as the beginning of a sentence
 */
export function judgeKeptSession(evidence: OAuthEvidence, check: OAuthCheck, browser: string, fault: string): Verdict {
  const after = visitOfRole(evidence, browser, "after-again") ?? visitOfRole(evidence, browser, "after");
  if (after === undefined) return skipVerdict("no login got that far");
  const isKept = hasSession(evidence, after);
  if (isKept === true && isGoodPage(after.landing)) return PASSED;
  const end = `the app ${plainLanding(after)}`;
  if (isKept === null && isRefusedByApi(after) && isGoodPage(after.landing)) {
    return skipVerdict(
      "after a fault, the app goes on with a token that the API refuses, and nothing shows the session",
    );
  }
  if (!isOwnError(after)) return faulty(check, `${fault}, and the session was lost: ${end}`);
  const asksPlatform = apiRequests(after.requests).length + tokenRequests(after.requests).length > 0;
  if (!asksPlatform && after.landing.kind === "page" && TEMPORARY.includes(after.landing.status)) {
    return skipVerdict(`the app does not call the platform again soon after a fault: ${end}`);
  }
  return faulty(check, `${fault}, and when the fault was over, ${end}`);
}
