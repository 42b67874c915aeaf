import type { TrialCheck, Verdict } from "./check.ts";
import { faulty, PASSED, skipVerdict } from "./verdict.ts";

/**
 * The verdict on the answer to an invalid token.
 * @param says what the app did, as the end of a sentence
 */
export function judgeToken(check: TrialCheck, kind: string, says: string): Verdict {
  if (kind === "refused") return PASSED;
  if (kind === "asked") return skipVerdict(`the app ${says}, as to the right request: a refusal would look the same`);
  return faulty(check, `the app ${says}`);
}
