import type { PlatformClock } from "../platform/platform-clock.ts";
import { type Login, visit } from "./begin-login.ts";
import { approvedCallback } from "./checks/oauth-exchange-checks.ts";
import type { AppVisit, OAuthLoginFacts } from "./checks/oauth-login-facts.ts";
import { firstUse, hasTokens, isRefreshed, isUseRefused } from "./checks/oauth-token-checks.ts";

/** Twice: the first time shows whether the app gets new tokens, the second whether it keeps the new refresh token. */
const TIMES = 2;

/** Opens the page that uses the access token after the token has expired; puts the clock back afterwards. */
export async function visitAfterExpiry(
  login: Login,
  facts: OAuthLoginFacts,
  clock: PlatformClock | "not wanted" | null,
): Promise<Pick<OAuthLoginFacts, "turns" | "notTurned">> {
  if (!hasTokens(facts)) return { turns: [], notTurned: null };
  const page = login.use ?? landingPage(facts);
  const reason = whyNotAdvanced(login, facts, clock, page);
  if (reason !== null || page === null || clock === null || clock === "not wanted") {
    return { turns: [], notTurned: reason };
  }
  const putBack = clock.remember();
  try {
    const turns: AppVisit[] = [];
    while (turns.length < TIMES) {
      clock.advance(afterLifetime(login));
      const later = await visit(login, page, page);
      turns.push(later);
      if (!isRefreshed(later)) break;
    }
    return { turns, notTurned: null };
  } finally {
    putBack();
  }
}

/** Milliseconds after which an access token has expired. */
function afterLifetime({ context }: Login): number {
  return (context.choices["oauth.accessToken.lifetime"] + 1) * 1000;
}

function whyNotAdvanced(
  login: Login,
  facts: OAuthLoginFacts,
  clock: PlatformClock | "not wanted" | null,
  page: string | null,
): OAuthLoginFacts["notTurned"] {
  const byUse = "name an address of the app that makes it call the API: --use URL";
  if (clock === "not wanted") return { reason: "the refresh was left out on request", hint: null };
  if (clock === null) return { reason: "the clock of this simulator cannot be advanced", hint: "use startSimulator()" };
  const calls = firstUse(facts);
  if (calls.length === 0) return { reason: "the app did not use its access token", hint: byUse };
  if (isUseRefused(facts)) return { reason: "the app did not get far with its access token", hint: null };
  if (page === null) return { reason: "the login ended on the callback, whose code is good for one use", hint: byUse };
  if (login.context.choices["oauth.refresh.lifetime"] * 1000 <= afterLifetime(login)) {
    return {
      reason: "the refresh token expires no later than the access token",
      hint: "make oauth.refresh.lifetime longer than oauth.accessToken.lifetime",
    };
  }
  return null;
}

/** The page on which the login ended; null if that is the callback itself, whose code is used up. */
function landingPage(facts: OAuthLoginFacts): string | null {
  const callback = approvedCallback(facts);
  if (callback?.landing.kind !== "page") return null;
  const { url } = callback.landing;
  const place = (address: string) => address.split(/[?#]/, 1)[0];
  return place(url) === place(callback.url) ? null : url;
}
