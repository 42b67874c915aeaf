import type { CheckFacts, Evidence, Verdict } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED } from "../checking/verdict.ts";

/** The role of the final call of one more login, made if the guard refused the codes of all simultaneous ones. */
export const SINGLE = "code of a single login";

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
export function judgeRedeemed(
  check: CheckFacts,
  codes: readonly RedeemedCode[],
  { steps }: Pick<Evidence, "steps">,
): Verdict {
  if (codes.every(({ isAccepted }) => isAccepted)) return PASSED;
  const single = steps.filter(({ role }) => role === SINGLE).map(({ exchange }) => readGuardReply(exchange));
  if (single.length > 0 && single.every(({ kind }) => kind !== "accepted")) {
    return {
      result: "inconclusive",
      reason: "the guard refused all their codes, and that of a single login, too",
      hint: "first fix the guard, as guard.final.accepted says: until it accepts the code of a single login, this proves nothing about several",
    };
  }
  const users = [false, true].map((isOther) => codes.filter((code) => code.isOther === isOther));
  const isOneForEach = users.every(
    (own) => own.length === 0 || (own.length > 1 && own.filter(({ isAccepted }) => isAccepted).length === 1),
  );
  if (isOneForEach) return PASSED;
  const reason = "the guard refused the code of one of them";
  // Of several codes made at the same time, such an app may by chance keep more than one.
  const isSomeForEach = users.every((own) => own.length === 0 || own.some(({ isAccepted }) => isAccepted));
  return isSomeForEach ? { result: "warn", reason } : faulty(check, reason);
}
