import type { CheckResult } from "../../checking/verify-result.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { differenceText, findingFacts } from "../text/finding-facts.ts";

/** The command that shows exchanges. */
const IN_JOURNAL = "app-sim log ID";
/** The same for the library, which keeps a journal only if an option names its directory. */
export const IF_KEPT = `${IN_JOURNAL}, with journal: ".app-sim"`;

/** A finding without colours and truncation, for formats that other programs show. */
export function plainFinding(check: CheckResult, evidences: ResultEvidence, shownBy: string = IN_JOURNAL): string[] {
  const { sent, differences, came, why, fix, again, section, exchanges } = findingFacts(check, evidences);
  const labelled = (label: string, texts: readonly string[]) =>
    texts.filter((text) => text !== "").map((text) => `${label}: ${text}`);
  return [
    `${check.title} (${section})`,
    ...labelled("found", check.reason === null ? [] : [harmlessLine(check.reason)]),
    ...labelled("sent", sent),
    ...labelled("differs from the accepted request in", differences.map(differenceText)),
    ...labelled("came", came),
    ...labelled("why it matters", [why]),
    ...labelled("how to fix it", [fix]),
    ...labelled("again", again),
    ...labelled(`exchanges (${shownBy})`, exchanges.length === 0 ? [] : [exchanges.join(", ")]),
  ];
}
