import type { Verdict } from "../checking/check.ts";
import { foundSomething } from "../checking/check-result.ts";
import { decisiveFirst } from "../checking/decisive-first.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { OAuthCheck } from "./check.ts";
import type { OAuthEvidence } from "./evidence.ts";
import { judgeOAuth } from "./judge-oauth.ts";

/** The exchanges behind a verdict. For a finding, the decisive ones are first. */
export function shownExchanges(check: OAuthCheck, evidence: OAuthEvidence, verdict: Verdict): readonly Exchange[] {
  const decisive = decisiveAnswer(check, evidence, verdict);
  if (decisive !== null) return [decisive];
  const visits = decisiveFirst(evidence.visits, verdict, (first) => judgeOAuth(check, { ...evidence, visits: first }));
  return visits.flatMap(({ own, requests }) => [...own, ...requests.map(({ exchange }) => exchange)]);
}

/** For a check that looks at the answers to every journey: the answer that is a finding on its own. */
function decisiveAnswer(check: OAuthCheck, evidence: OAuthEvidence, verdict: Verdict): Exchange | null {
  if (!foundSomething(verdict)) return null;
  const shown = check.shows?.(evidence) ?? null;
  if (shown !== null) return shown;
  const leadsTo = (all: OAuthEvidence["all"]) => {
    const { result, reason } = check.judge({ ...evidence, all, visits: [] }, check);
    return result === verdict.result && reason === verdict.reason;
  };
  if (!leadsTo(evidence.all)) return null;
  const alone = evidence.all.flatMap((visit) => visit.own.map((exchange) => ({ visit, exchange })));
  return alone.find(({ visit, exchange }) => leadsTo([{ ...visit, own: [exchange] }]))?.exchange ?? null;
}
