import { OWN_LOG } from "../app-client/explain-outcome.ts";
import type { Verdict } from "../checking/check.ts";
import { checkResult } from "../checking/check-result.ts";
import { exchangesOf, PREPARATION } from "../checking/evidence.ts";
import { readAskedReply } from "../checking/reply.ts";
import { type Subject, taggedContext } from "../checking/subject.ts";
import type { Verification } from "../checking/unit.ts";
import { faulty } from "../checking/verdict.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { judgeUnprepared } from "../checking/verify-subject.ts";
import type { Exchange } from "../journal/exchange.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "./call.ts";
import { finalAcceptedCheck } from "./final-accepted.ts";
import type { FinalTrial } from "./trial.ts";

/** What an app answers that cannot take more requests for now (RFC 9110, 15.6.4). */
const BUSY = 503;

/** A user who passed the page of a guard, but not again, and why not. */
interface TurnedBack {
  readonly guard: InstalledGuard;
  readonly walker: Person;
  readonly reason: string;
}

/**
 * The results for a page that a user passed, but not again. A server error is no answer to somebody who did so, and a
 * guard that still asks them must let them pass: such results are inconclusive, not skipped.
 */
export async function notPassedAgain(
  verification: Verification,
  subject: Subject<FinalTrial>,
  { guard, walker, reason }: TurnedBack,
): Promise<CheckResult[]> {
  const { context, run, choices } = verification;
  const isCrashed = isCrash(lastOf(verification, subject.id));
  const tagged = taggedContext(context, { run, subject: subject.id, id: null, role: PREPARATION });
  const isAsked = readAskedReply(await makeFirstCall(tagged, { choices, guard }, walker)).kind === "asked";
  const results = judgeUnprepared(verification, subject, reason);
  if (!isCrashed && !isAsked) return results;
  const says = `a user passed the page, but could not pass it again: ${reason}`;
  return results.map((result) =>
    result.id === finalAcceptedCheck.id && result.result === "skip"
      ? checkResult(subject, finalAcceptedCheck, { result: "inconclusive", reason: says }, [])
      : result,
  );
}

/**
 * The verdict on a page that the configured answers no longer pass.
 * @param last the request at which that showed
 */
export function notPassed(key: string, reason: string, last: Exchange | undefined): Verdict {
  const says = `nobody passes the page as configured: ${reason}`;
  // What a busy app does not let through, it may accept later.
  if (isCrash(last) && last?.response?.status !== BUSY) return { ...faulty(finalAcceptedCheck, says), hint: OWN_LOG };
  return {
    result: "inconclusive",
    reason: says,
    hint: `Adapt verify.guards.${key}.pass in the configuration to the page: without a code, no check of codes can run.`,
  };
}

/** The last call of the preparations for the checks of a subject. */
export function lastOf({ context, run }: Verification, subject: string): Exchange | undefined {
  return exchangesOf(context.journal.list(), run, subject).at(-1);
}

/** Whether an app broke at a request: it failed, or closed the connection. */
function isCrash(exchange: Exchange | undefined): boolean {
  return exchange?.outcome.kind === "disconnected" || (exchange?.response?.status ?? 0) >= 500;
}
