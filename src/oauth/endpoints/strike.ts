import { faultAnswer } from "../rules/fault-answers.ts";
import type { FaultPlace } from "../rules/faults.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { Finding, Handled } from "./receive.ts";

/**
 * Does what a fault at one of these places asks for: waits, in real time, or gives the answer that takes the place
 * of handling the request. Null: the request is to be handled.
 */
export async function strike(
  { context, faults }: OAuthContext,
  places: readonly FaultPlace[],
  finding: Finding,
): Promise<Handled | null> {
  const fault = faults.take(places);
  if (fault === null) return null;
  const answer = faultAnswer(fault);
  if (answer !== null)
    return {
      answer,
      finding: { ...finding, error: fault.kind, reason: `the fault that was asked for: ${fault.place}=${fault.kind}` },
    };
  await context.clock.pause(fault.delayMs, context.signal);
  return null;
}
