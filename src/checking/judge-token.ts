import type { Evidence, TrialCheck, Verdict } from "./check.ts";
import { faulty, PASSED, skipVerdict } from "./verdict.ts";

/** Why a check of forged tokens was not tried. */
export const NO_TOKEN = "the request has no token to forge";

/**
 * The verdict on the answer to an invalid token.
 * @param says what the app did, as the end of a sentence
 */
export function judgeToken(check: TrialCheck, kind: string, says: string): Verdict {
  if (kind === "refused") return PASSED;
  if (kind === "asked") return skipVerdict(`the app ${says}, as to the correct request: a refusal would look the same`);
  return faulty(check, `the app ${says}`);
}

/**
 * The first finding among the answers to several invalid tokens; null: none was sent.
 * @param to ends the sentence about an answer, by the role of its request
 */
export function judgeTokens(
  check: TrialCheck,
  { steps, read }: Pick<Evidence, "steps" | "read">,
  to: (role: string) => string,
): Verdict | null {
  if (steps.length === 0) return null;
  const verdicts = steps.map(({ role, exchange }) => {
    const { kind, says } = read(exchange);
    return judgeToken(check, kind, `${says}${to(role)}`);
  });
  return verdicts.find(({ result }) => result !== "pass") ?? PASSED;
}
