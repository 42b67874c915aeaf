import { bodyLimitHint } from "../app-client/framework-hints.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Verdict } from "./check.ts";
import { answerOf } from "./reply.ts";

const TOO_LARGE = 413;

/**
 * The fix for an app whose answer has an obvious cause, whatever the check is about: a body that its framework rejects
 * never reaches the code that the check is about. Null: as the check says.
 */
export function fixByAnswer({ reason }: Verdict, exchanges: readonly Exchange[]): string | null {
  if (reason?.includes(`answered ${TOO_LARGE}`) !== true) return null;
  const refused = exchanges.find(({ response }) => response?.status === TOO_LARGE);
  return refused === undefined ? null : bodyLimitHint(answerOf(refused));
}
