import { webhookText } from "../report/webhook-text.ts";
import type { Invocation } from "./invocation.ts";
import { runWithSimulator } from "./session.ts";

/** `app-sim webhook EVENT…` */
export function webhook(
  invocation: Invocation,
  events: readonly string[],
  { count, set = [] }: { readonly count?: number; readonly set?: readonly string[] },
): Promise<number> {
  return runWithSimulator(
    invocation,
    (simulator) => simulator.webhook(events, { ...(count === undefined ? {} : { count }), set }),
    (result, exchanges) => webhookText(result, exchanges, invocation.paint),
  );
}
