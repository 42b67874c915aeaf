import { isPlatformAddress } from "../browser/addresses.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { type OAuthCheck, oauthCheck } from "./check.ts";
import { answeredHeaders, LOGIN, visitOfRole } from "./evidence.ts";

/** Statuses that browsers keep without being told to (RFC 9110, 15.4). */
const PERMANENT = [301, 308];

/** The check of a redirect to the platform that the next login needs anew. */
export const keptRedirectCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.request.kept",
    title: "Browsers do not keep the redirect to the platform",
    section: "RFC 9110, 15.4",
    severity: "should",
    why: "A browser that kept the redirect does not ask the app at the next login. It sends the old state, which the app has already used, so the login fails.",
    fix: "Redirect with 302 or 303, or send Cache-Control: no-store.",
  },
  {
    journey: { key: LOGIN, run: async () => {} },
    needsLogin: false,
    judge: (evidence, check) => {
      const answers = visitOfRole(evidence, "A", "start")?.own ?? [];
      const redirect = answers.find((answer) => {
        const target = redirectTarget(answer);
        return target !== null && isPlatformAddress(evidence.platform, target.url);
      });
      if (redirect === undefined) return skipVerdict("the login link does not redirect to the platform");
      const why = keptBecause(redirect);
      return why === null ? PASSED : faulty(check, `the app redirects with ${why}`);
    },
  },
);

/** Why a browser keeps an answer (RFC 9111, 3); null: it asks again. */
function keptBecause(answer: Exchange): string | null {
  const status = answer.response?.status ?? 0;
  const said = answeredHeaders(answer, "cache-control").join(", ");
  if (/\bno-(store|cache)\b|\bmax-age="?0\b/i.test(said)) return null;
  if (/\bmax-age\b|\bimmutable\b/i.test(said)) return `"Cache-Control: ${clip(harmlessLine(said), 80)}"`;
  return PERMANENT.includes(status) ? `${status}, which is permanent` : null;
}
