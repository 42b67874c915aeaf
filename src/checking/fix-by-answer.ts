import { bodyLimitHint } from "../app-client/framework-hints.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Verdict } from "./check.ts";
import { answerOf } from "./reply.ts";

const TOO_LARGE = 413;
const RATE_LIMITED =
  "the app limits how many requests, or wrong passwords, a user may send: raise the limit, or switch it off, where you verify the app";

/**
 * The fix for an app whose answer has an obvious cause, whatever the check is about: a body that its framework rejects
 * never reaches the code that the check is about, and neither does a request above a rate limit. Null: as the check says.
 */
export function fixByAnswer({ reason }: Verdict, exchanges: readonly Exchange[]): string | null {
  if (reason !== null && /the correct request.*answered 429/.test(reason)) return RATE_LIMITED;
  if (reason?.includes(`answered ${TOO_LARGE}`) !== true) return null;
  const refused = exchanges.find(({ response }) => response?.status === TOO_LARGE);
  return refused === undefined ? null : bodyLimitHint(answerOf(refused), refused.purpose === "webhook");
}
