import { readGuardReply } from "../checking/reply.ts";
import { withStrangersSignature } from "../checking/token-twin.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { examinedGuard, rightCall, sendCall } from "./wrong-calls.ts";

/** Whether a guard that lets a user in also does so by a call whose token is signed with another secret. */
export async function acceptsForged(given: SimulatorContext, key: string): Promise<boolean> {
  const guard = await examinedGuard(given, key);
  const forged = guard && withStrangersSignature(await rightCall(guard));
  if (guard === null || forged === null) return false;
  const { record } = await sendCall(guard, forged);
  return readGuardReply(record).kind === "accepted";
}
