import { bodyLimitHint } from "../app-client/framework-hints.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Verdict } from "./check.ts";
import { answerOf } from "./reply.ts";

const TOO_LARGE = 413;

/**
 * How an app is mended whose answer has one cause, whatever the check is about: a body that its framework did not take
 * never reached the code that the check would have mended. Null: as the check says.
 */
export function mendByAnswer({ reason }: Verdict, exchanges: readonly Exchange[]): string | null {
  if (reason?.includes(`answered ${TOO_LARGE}`) !== true) return null;
  const refused = exchanges.find(({ response }) => response?.status === TOO_LARGE);
  return refused === undefined ? null : bodyLimitHint(answerOf(refused));
}
