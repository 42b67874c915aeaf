import type { PlatformClock } from "../platform/platform-clock.ts";
import { type Login, visit } from "./begin-login.ts";
import {
  type AppVisit,
  approvedCallback,
  firstUse,
  hasTokens,
  isGoodPage,
  landingPage,
  type OAuthLoginFacts,
} from "./checks/login-facts.ts";
import { isRefreshed, isUseRefused } from "./checks/token-checks.ts";
import { isLeftExpired, visitByOwnClock } from "./own-clock.ts";

/** Twice: the first shows whether the app gets new tokens, the second whether it keeps the new refresh token. */
const TIMES = 2;
const NAME_USE = "name a page of the app that makes it call the API: --use URL";

/**
 * Opens the page that uses the access token after the token has expired, and sets the clock back afterwards; gives an
 * app that did not refresh its token a short-lived one.
 */
export async function visitAfterExpiry(
  login: Login,
  facts: OAuthLoginFacts,
  clock: PlatformClock | "not wanted" | null,
): Promise<Pick<OAuthLoginFacts, "turns" | "notTurned" | "ownClock">> {
  if (!hasTokens(facts)) return { turns: [], notTurned: null, ownClock: null };
  const { choices } = login.context;
  const afterLifetimeMs = (choices["oauth.accessToken.lifetime"] + 1) * 1000;
  const skipped = (reason: string, hint: string | null) => ({
    turns: [],
    notTurned: { reason, hint },
    ownClock: null,
  });
  if (clock === "not wanted") return skipped("the refresh was skipped on request", null);
  if (clock === null) return skipped("the clock of this simulator cannot be advanced", "use startSimulator()");
  if (firstUse(facts).length === 0) {
    const isBack = isGoodPage(approvedCallback(facts)?.landing);
    return isBack
      ? skipped("the app did not use its access token", NAME_USE)
      : skipped("the app's callback failed", null);
  }
  if (isUseRefused(facts)) return skipped("the app's use of its access token failed", null);
  const page = login.use ?? landingPage(approvedCallback(facts));
  if (page === null) return skipped("the login ended on the callback, whose code is valid only once", NAME_USE);
  if (choices["oauth.refresh.lifetime"] * 1000 <= afterLifetimeMs) {
    return skipped(
      "the refresh token does not outlive the access token",
      "make oauth.refresh.lifetime longer than oauth.accessToken.lifetime",
    );
  }
  const turns = await turnClock(login, page, clock, afterLifetimeMs);
  const isLeft = turns[0] !== undefined && isLeftExpired(turns[0]);
  return { turns, notTurned: null, ownClock: isLeft ? await visitByOwnClock(login, facts.start.url, page) : null };
}

async function turnClock(login: Login, page: string, clock: PlatformClock, byMs: number): Promise<AppVisit[]> {
  const putBack = clock.remember();
  try {
    const turns: AppVisit[] = [];
    while (turns.length < TIMES) {
      clock.advance(byMs);
      const later = await visit(login, page, page);
      turns.push(later);
      if (!isRefreshed(later)) break;
    }
    return turns;
  } finally {
    putBack();
  }
}
