import { askInTerminal } from "../action/ask-in-terminal.ts";
import type { Invocation } from "../action/invocation.ts";
import { printLines } from "../output/fit-lines.ts";
import { isCi } from "../output/is-ci.ts";
import { fold } from "../output/layout.ts";
import { isUnbelieved } from "./diagnose.ts";
import type { WebhookOptions } from "./webhook-options.ts";
import type { Delivery, WebhookResult } from "./webhook-result.ts";
import { diagnosisText } from "./webhook-text.ts";

const COUNT_REFUSED =
  'A delivery with fewer events was acknowledged: does the app handle every element of "events" (interface 6)?';

/**
 * Asks a person at the terminal whether to find out why an app refuses every delivery, and does so. Nobody is asked
 * without a terminal, or if there is nothing to find out.
 * @param deliver makes one delivery to each module, with these options
 */
export async function offerDiagnosis(
  { terminal, format, env, signal, out, paint }: Invocation,
  { diagnose, ...options }: WebhookOptions,
  { deliveries, failure }: WebhookResult,
  deliver: (options: WebhookOptions) => Promise<WebhookResult>,
): Promise<void> {
  if (terminal === null || format !== "text" || isCi(env)) return;
  if (diagnose === true || failure === "interrupted" || !byModule(deliveries).some(isUnbelieved)) return;
  using questions = askInTerminal(terminal, signal);
  const question = "Deliver again, signed in the usual wrong ways, until the app acknowledges one (--diagnose)?";
  printLines({ out, paint }, ["", question]);
  const answer = await questions.ask("[y]es, [N]o: ");
  if (answer?.startsWith("y") !== true) return;
  const once = { count: undefined, tamper: undefined, duplicate: undefined, drop: undefined, delay: undefined };
  const { outcome, diagnosis } = await deliver({ ...options, ...once, respell: false, diagnose: true });
  const isCountRefused = outcome === "acknowledged" && deliveries.some(({ events }) => events > 1);
  printLines({ out, paint }, isCountRefused ? fold(COUNT_REFUSED, paint.width) : diagnosisText(diagnosis, paint));
}

function byModule(deliveries: readonly Delivery[]): Delivery[][] {
  const keyOf = ({ app, module }: Delivery) => `${app} ${module}`;
  return [...new Set(deliveries.map(keyOf))].map((key) => deliveries.filter((each) => keyOf(each) === key));
}
