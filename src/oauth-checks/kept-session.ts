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

/** Seconds for which breakers of the usual libraries stay open, unless an app says otherwise. */
const LONG_PAUSE_S = 60;

/** The answers of an app that is temporarily unable to serve a page. */
const TEMPORARY = [429, 502, 503, 504];

/** Whether the app answered with an error of its own, which says nothing about the session. */
function isOwnError({ landing }: Pick<AppVisit, "landing">): boolean {
  return landing.kind === "page" && (landing.status === 429 || landing.status >= 500);
}

/** The seconds in Retry-After; null: the app does not say how long to wait. */
function askedPause({ own }: Pick<AppVisit, "own">): number | null {
  const asked = headerValue(own.at(-1)?.response?.headers ?? [], "retry-after") ?? "";
  return /^\d+$/.test(asked) ? Number(asked) : null;
}

/** Seconds until an app that cannot serve a page should be asked again; 0: it wants a longer pause than is useful. */
function pauseAfter(visit: Pick<AppVisit, "own">): number {
  const asked = askedPause(visit) ?? USUAL_PAUSE_S;
  return asked <= LONGEST_PAUSE_S ? asked : 0;
}

/** Whether an app answers that it is temporarily unable to serve a page, and has not asked the platform. */
function sparesPlatform({ requests, landing }: Pick<AppVisit, "requests" | "landing">): boolean {
  const asksPlatform = apiRequests(requests).length + tokenRequests(requests).length > 0;
  return !asksPlatform && landing.kind === "page" && TEMPORARY.includes(landing.status);
}

/** Opens the page that uses the token after a temporary fault of the platform. */
export async function openAfterFault(tools: OAuthTools, browser: string): Promise<void> {
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
  if (sparesPlatform(after)) {
    return skipVerdict(
      `${end} without calling the platform soon after a fault: whether it does so later is not known`,
      "with --slow, oauth.refresh.recovers waits for up to a minute",
    );
  }
  return faulty(check, `${fault}, and when the fault was over, ${end}`);
}

/** Opens the page again, a minute after a fault or when the app says, if the app still spares the platform by then. */
export async function returnAfterFault(tools: OAuthTools, browser: string): Promise<void> {
  await openAfterFault(tools, browser);
  const last = tools.visitsOf(browser).findLast(({ what }) => what.startsWith("after"));
  if (last === undefined || !sparesPlatform(last)) return;
  const pause = askedPause(last) ?? LONG_PAUSE_S;
  if (pause > LONG_PAUSE_S) return;
  await tools.context.clock.pause(pause * 1000, tools.context.signal);
  await tools.use(browser, "after-long");
}

/** Judges whether an app that spared the platform after a fault asks it again in the end. */
export function judgeRecovery(evidence: OAuthEvidence, check: OAuthCheck, browser: string): Verdict {
  const [after, again, long] = ["after", "after-again", "after-long"].map((what) =>
    visitOfRole(evidence, browser, what),
  );
  const soon = again ?? after;
  if (soon === undefined) return skipVerdict("no login got that far");
  if (long === undefined) {
    return sparesPlatform(soon) ? skipVerdict("after a fault, the app asks for a pause of more than a minute") : PASSED;
  }
  if (hasSession(evidence, long) !== false && isGoodPage(long.landing)) return PASSED;
  const when =
    askedPause(soon) === null ? "a minute after the fault" : "when the pause was over that the app asked for";
  const how = sparesPlatform(long) ? ", still without calling the platform" : "";
  return faulty(check, `the refresh failed temporarily, and ${when}, the app ${plainLanding(long)}${how}`);
}
