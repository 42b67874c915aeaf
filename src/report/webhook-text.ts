import { harmlessLine } from "../protocol/harmless.ts";
import type { Delivery, WebhookResult } from "../simulator/results.ts";
import type { Paint } from "./paint.ts";
import { choicesLine, type ExchangeLines, indent, markOf, plural, reasonText } from "./text.ts";

/** Deliveries as lines: for each what was sent and whether the app acknowledged it. */
export function webhookText(result: WebhookResult, exchanges: ExchangeLines, paint: Paint): string[] {
  return [
    ...result.deliveries.flatMap((delivery) => [...deliveryLines(delivery, exchanges, paint), ""]),
    ...verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

function deliveryLines(
  { id, module, events, attempts, acknowledged }: Delivery,
  exchanges: ExchangeLines,
  paint: Paint,
): string[] {
  return [
    `Delivery ${id} of ${plural(events, "event")} to webhook ${paint.strong(harmlessLine(module))}`,
    ...attempts.flatMap(({ exchange, reason, hint }, index) => [
      ...indent(attempts.length > 1 ? [`attempt ${index + 1}`] : [], 2),
      ...indent(exchanges(exchange), 4),
      ...indent(reason === null ? [] : [paint.bad(reasonText(reason))], 4),
      ...indent(hint === null ? [] : [`hint: ${harmlessLine(hint)}`], 4),
    ]),
    acknowledged ? `  ${markOf("passed", paint)} acknowledged` : `  ${markOf("denied", paint)} not acknowledged`,
  ];
}

function verdict({ outcome, reason, hint, deliveries }: WebhookResult, paint: Paint): string[] {
  if (outcome === "acknowledged") return [paint.good(`Acknowledged by ${plural(deliveries.length, "webhook module")}`)];
  const hintLine = hint === null ? [] : [`hint: ${harmlessLine(hint)}`];
  if (outcome === "no-module") return [paint.bad(`Nothing was sent: ${reasonText(reason ?? "")}`), ...hintLine];
  return [paint.bad(`Failed: ${reasonText(reason ?? "")}`), ...(deliveries.length === 0 ? hintLine : [])];
}
