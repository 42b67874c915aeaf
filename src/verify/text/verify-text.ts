import type { Paint } from "../../output/paint.ts";
import type { ExchangeLines } from "../../output/text.ts";
import type { CheckResult, VerifyResult } from "../verify-result.ts";

/** The result of `verify` as lines of text: what is wrong first. */
export function verifyText(result: VerifyResult, _exchanges: ExchangeLines, _paint: Paint): string[] {
  const order: readonly CheckResult["result"][] = ["fail", "inconclusive", "warn"];
  const wrong = order.flatMap((wanted) => result.checks.filter((check) => check.result === wanted));
  return [
    ...wrong.map((check) => `${check.result} ${check.id} (${check.subject}): ${check.title}: ${check.reason}`),
    JSON.stringify(result.summary),
  ];
}
