import type { CheckFacts, Evidence, Verdict } from "../../../checking/check.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { faulty } from "../../../checking/verdict.ts";
import { returnIn, stateCameBack, stateIn } from "../return/page-return.ts";

/** The roles of the requests around a form that was shown again. */
export interface CompletedRoles {
  /** Opens the page. */
  readonly opened: string;
  /** Sends the form that was shown again, completed correctly. */
  readonly completed: string;
  /** The final call with the code that came back. */
  readonly redeemed: string;
}

/**
 * What is wrong with how the user came back from a form that was shown again; null: nothing, or it was not sent. An app
 * need not accept such a form. If it does, it must send back the right state and a valid code (interface 4.2).
 */
export function completedFault(
  check: CheckFacts,
  evidence: Evidence,
  { opened, completed, redeemed }: CompletedRoles,
): Verdict | null {
  const { steps, landing, read } = evidence;
  const sent = steps.find(({ role }) => role === completed);
  if (sent === undefined) return null;
  const { kind, says } = read(landing(sent.exchange));
  if (kind !== "accepted")
    return { result: "warn", reason: `the app ${says} to the form that it showed again, completed correctly` };
  const back = returnIn(evidence, completed);
  const state = stateIn(evidence, opened);
  if (back !== null && state !== null && back.state[0] !== state) {
    return faulty(check, `${stateCameBack(back)} from the form that it showed again, completed correctly`);
  }
  const call = steps.find(({ role }) => role === redeemed);
  if (call === undefined) return null;
  const final = readGuardReply(call.exchange);
  if (final.kind === "accepted") return null;
  const reason = `the app ${final.says} to the code that came from the form that it showed again`;
  // An app that is busy, or limits its callers, says nothing about the code.
  const isDecision = final.success === false || [400, 401, 403].includes(call.exchange.response?.status ?? 0);
  return isDecision ? faulty(check, reason) : { result: "warn", reason };
}
