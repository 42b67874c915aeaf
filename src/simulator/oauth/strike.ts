import { faultAnswer } from "../../platform/fault-answers.ts";
import type { FaultPlace } from "../../platform/faults.ts";
import type { Finding, Handled } from "./arrival.ts";
import type { OAuthContext } from "./oauth-context.ts";

const ASKED_FOR = "a fault that was asked for";

/**
 * Does what a fault at one of these places asks for: waits, in real time, or gives the answer that takes the place
 * of handling the request. Null: the request is to be handled.
 */
export async function strike(
  { context, faults }: OAuthContext,
  places: readonly FaultPlace[],
  step: Finding["step"],
): Promise<Handled | null> {
  const fault = faults.take(places);
  if (fault === null) return null;
  const answer = faultAnswer(fault);
  if (answer !== null) return { answer, finding: { step, error: fault.kind, reason: ASKED_FOR } };
  await context.clock.pause(fault.delayMs, context.signal);
  return null;
}
