import type { Answer } from "../app-client/read-answer.ts";
import { withToken } from "../checking/request-parts.ts";
import { signedWith, strangersSecret } from "../checking/token-twin.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { parseJson } from "../protocol/json.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { examinedGuard, rightCall, sendCall } from "./wrong-calls.ts";

/** Whether a guard that lets a user in also does so by a call whose token is signed with another secret. */
export async function acceptsForged(given: SimulatorContext, key: string): Promise<boolean> {
  const called = await examinedGuard(given, key);
  if (called === null) return false;
  const forged = withToken(await rightCall(called), ({ header }) => signedWith(header, strangersSecret));
  if (forged === null) return false;
  const answered = await sendCall(called, forged);
  return answered.ok && isLetIn(answered.answer);
}

/** Only this lets a user in (interface 3.1). */
function isLetIn({ status, body }: Answer): boolean {
  const json = parseJson(body);
  return status === 200 && json.ok && isJsonObject(json.value) && json.value.success === true;
}
