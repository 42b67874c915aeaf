import type { CheckFacts, Verdict } from "../checking/check.ts";
import { faulty, PASSED } from "../checking/verdict.ts";

/** What became of the code of one of several simultaneous logins. */
export interface RedeemedCode {
  /** Whether it is a login of the second of two users. */
  readonly isOther: boolean;
  readonly isAccepted: boolean;
}

/**
 * Judges whether the guard accepts the code of each login. An app may store one code per user, so that a newer one
 * replaces an older one (interface 3.1 does not say for how many logins of one user codes are valid).
 */
export function judgeRedeemed(check: CheckFacts, codes: readonly RedeemedCode[]): Verdict {
  if (codes.every(({ isAccepted }) => isAccepted)) return PASSED;
  const users = [false, true].map((isOther) => codes.filter((code) => code.isOther === isOther));
  const isOneForEach = users.every(
    (own) => own.length === 0 || (own.length > 1 && own.filter(({ isAccepted }) => isAccepted).length === 1),
  );
  if (isOneForEach) return PASSED;
  const reason = "the guard refused the code of one of them";
  // Such an app may keep more than one of the codes made at the same time by chance.
  const isSomeForEach = users.every((own) => own.length === 0 || own.some(({ isAccepted }) => isAccepted));
  return isSomeForEach ? { result: "warn", reason } : faulty(check, reason);
}
