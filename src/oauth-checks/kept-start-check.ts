import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { cacheDirectives } from "./answer-checks.ts";
import { type OAuthCheck, oauthCheck } from "./check.ts";
import { answeredHeaders, LOGIN } from "./evidence.ts";

/** Statuses of a redirect that a browser keeps even if nothing says how long (RFC 9110, 15.1). */
const permanent: readonly number[] = [301, 308];

/** The check that each login starts at the app: a browser that keeps the redirect would use its state again. */
export const keptStartCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.request.kept",
    title: "No browser or cache keeps the redirect to the platform",
    section: "RFC 9111, 4.2",
    why: "A browser that keeps the redirect sends the state of the first login again, which the app refuses, so nobody can log in twice. A shared cache gives one user's state to others.",
    fix: "Redirect to the platform with status 302 or 303, and with Cache-Control: no-store.",
  },
  {
    journey: { key: LOGIN, run: async () => {} },
    judge: ({ all, platform }, check) => {
      const starts = all.filter(({ journey, what }) => journey === LOGIN && what === "start");
      const redirects = starts.flatMap(({ own }) => own).filter((exchange) => leadsTo(platform, exchange));
      if (redirects.length === 0) return skipVerdict("the login link does not redirect to the platform");
      const reason = redirects.map(whyKept).find((why) => why !== null);
      return reason == null ? PASSED : faulty(check, reason);
    },
  },
);

/** Whether an answer redirects to the platform with a state, which is for one login only. */
function leadsTo(platform: string, exchange: Exchange): boolean {
  const url = redirectTarget(exchange)?.url;
  return url !== undefined && url.origin === new URL(platform).origin && url.searchParams.has("state");
}

/** Why a browser or a shared cache may use an answer again; null: it may not. */
function whyKept(exchange: Exchange): string | null {
  const header = (name: string) => answeredHeaders(exchange, name).join(", ");
  const directives = cacheDirectives(header("cache-control"));
  const isAsked =
    ["no-store", "no-cache"].some((name) => directives.has(name)) || /\*|\bcookie\b/i.test(header("vary"));
  if (isAsked) return null;
  const lifetimes = ["max-age", "s-maxage"].flatMap((name) => directives.get(name) ?? []);
  if (lifetimes.some((seconds) => Number(seconds) > 0)) {
    return `it says "${clip(harmlessLine(header("cache-control")), 80)}"`;
  }
  const status = exchange.response?.status ?? 0;
  const isUnlimited = lifetimes.length === 0 && header("expires") === "";
  return permanent.includes(status) && isUnlimited ? `its status is ${status}, and nothing forbids keeping it` : null;
}
