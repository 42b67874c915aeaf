import { readPolicies, sourcesFor } from "../../../browser/content-policy.ts";
import type { ObservationCheck } from "../../../checking/check.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import { type Exchange, headerValues } from "../../../journal/exchange.ts";

/** The check that the page's policy uses each nonce only once. */
export const nonceCheck: ObservationCheck = {
  id: "page.headers.nonce",
  area: "page",
  title: "The page's policy has a new nonce each time",
  section: "4.2",
  severity: "should",
  why: "The policy lets every script run that has its nonce. An attacker who knows it beforehand gives it to the injected script.",
  fix: "Make the nonce for each answer, from at least 16 random bytes.",
  observe: (exchanges) => {
    const nonces = exchanges.flatMap(noncesOf);
    return new Set(nonces).size < nonces.length ? faulty(nonceCheck, "two answers had the same nonce") : PASSED;
  },
};

/** The nonces of an answer's policies, each once. */
function noncesOf({ purpose, response }: Exchange): string[] {
  if (purpose !== "guard-page" || response?.status !== 200) return [];
  const sources = headerValues(response.headers, "content-security-policy")
    .flatMap(readPolicies)
    .flatMap((policy) => sourcesFor(policy, "script-src-elem", "script-src", "default-src") ?? []);
  return [...new Set(sources.filter((source) => /^'nonce-/i.test(source)))];
}
