import { harmlessLine } from "../protocol/harmless.ts";
import type { Tampering } from "../protocol/webhook.ts";
import type { Delivery, DeliverySummary, WebhookResult } from "../simulator/webhook/webhook-result.ts";
import type { Paint } from "./paint.ts";
import { choicesLine, type ExchangeLines, indent, markOf, plural, reasonText, wrap } from "./text.ts";

/**
 * Deliveries as lines. One for each module is shown with all that was sent and came back; more of them have a line each,
 * and a summary.
 */
export function webhookText(
  result: WebhookResult,
  exchanges: ExchangeLines,
  paint: Paint,
  signatures: ExchangeLines = () => [],
): string[] {
  const { deliveries, summary } = result;
  const isShort = deliveries.length === moduleCount(deliveries) && summary.dropped === 0;
  return [
    ...(isShort
      ? deliveries.flatMap((delivery) => [...inFull(delivery, exchanges, paint), ""])
      : [...oneLineEach(deliveries, paint), "", ...summaryLines(deliveries, summary, paint), ""]),
    ...refusedSignature(result, signatures),
    ...verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

function inFull({ id, module, events, attempts, ...delivery }: Delivery, exchanges: ExchangeLines, paint: Paint) {
  return [
    `Delivery ${id} of ${plural(events, "event")} to webhook ${paint.strong(harmlessLine(module))}`,
    ...attempts.flatMap(({ exchange, reason, hint, retryAfter }, index) => [
      ...indent(attempts.length > 1 ? [`attempt ${index + 1}`] : [], 2),
      ...indent(exchanges(exchange), 4),
      ...indent(reason === null ? [] : [paint.bad(reasonText(reason))], 4),
      ...indent(retryAfter === null ? [] : [`Retry-After: ${harmlessLine(retryAfter)}`], 4),
      ...indent(hint === null ? [] : [`hint: ${harmlessLine(hint)}`], 4),
    ]),
    `  ${mark(delivery, paint)} ${delivery.result === "acknowledged" ? "acknowledged" : "not acknowledged"}`,
  ];
}

function mark({ asExpected }: Pick<Delivery, "asExpected">, paint: Paint): string {
  return markOf(asExpected ? "passed" : "denied", paint);
}

const tamperedText: Record<Tampering, string> = {
  body: "changed body",
  signature: "wrong signature",
  secret: "another secret",
  header: "no signature",
};

/** One line per delivery; why one failed, unless the one before failed for the same reason. */
function oneLineEach(deliveries: readonly Delivery[], paint: Paint): string[] {
  const isForOne = moduleCount(deliveries) === 1;
  let said: string | null = null;
  return deliveries.flatMap((delivery) => {
    const { reason = null, hint = null, retryAfter = null } = delivery.attempts.at(-1) ?? {};
    const line = `  ${mark(delivery, paint)} ${deliveryLine(delivery, isForOne)}`;
    if (delivery.asExpected || reason === null || reason === said) return [line];
    said = reason;
    return [
      line,
      ...indent([paint.bad(reasonText(reason))], 6),
      ...indent(retryAfter === null ? [] : [`Retry-After: ${harmlessLine(retryAfter)}`], 6),
      ...indent(hint === null ? [] : [`hint: ${harmlessLine(hint)}`], 6),
    ];
  });
}

/** As wide as `acknowledged 204`: under one another as long as all goes well. */
const OUTCOME_WIDTH = 16;
const TIME_WIDTH = 9;

function deliveryLine({ id, module, events, copy, tampered, attempts, result }: Delivery, isForOne: boolean): string {
  const what = [id, ...(isForOne ? [] : [harmlessLine(module)]), plural(events, "event")];
  const kind = tampered !== null ? tamperedText[tampered] : copy > 0 ? "again" : "";
  const last = attempts.at(-1);
  if (last === undefined) return [...what, result.padEnd(OUTCOME_WIDTH), kind].join("  ").trimEnd();
  const outcome = result === "failed" ? last.outcome : result;
  const status = last.status === null ? outcome : `${outcome} ${last.status}`;
  const earlier = attempts.slice(0, -1).map((attempt) => attempt.status ?? attempt.outcome);
  const after = earlier.length === 0 ? "" : `after ${earlier.join(", ")}`;
  const time = milliseconds(last.ms).padStart(TIME_WIDTH);
  return [...what, status.padEnd(OUTCOME_WIDTH), time, last.exchange, kind, after]
    .filter((part) => part !== "")
    .join("  ");
}

/** Counts, sizes and how long the app took. */
function summaryLines(deliveries: readonly Delivery[], summary: DeliverySummary, { width }: Paint): string[] {
  const { acknowledged, refused, failed, dropped, attempts, events, latency } = summary;
  const most = (of: "events" | "bytes") => deliveries.reduce((highest, { [of]: value }) => Math.max(highest, value), 0);
  const counts = Object.entries({ acknowledged, refused, failed, dropped }).filter(([, count]) => count > 0);
  const sent = `${plural(deliveries.length, "delivery", "deliveries")} of ${plural(events, "event")} to ${plural(moduleCount(deliveries), "webhook module")}`;
  const times =
    latency === null
      ? []
      : (["p50", "p95", "p99", "max"] as const).map((name) => `${name} ${milliseconds(latency[name])}`);
  return [
    `${sent}, at most ${plural(most("events"), "event")} and ${plural(most("bytes"), "byte")} each`,
    `${counts.map(([name, count]) => `${count.toLocaleString("en-US")} ${name}`).join(", ")}; ${plural(attempts, "attempt")}`,
    ...(times.length === 0 ? [] : [`answered within ${times.join(", ")}`]),
  ].flatMap((line) => wrap(line, width));
}

/** Of the first delivery that should not have been refused: the others were signed alike. */
function refusedSignature({ deliveries }: WebhookResult, signatures: ExchangeLines): string[] {
  const refused = deliveries.find(({ result, asExpected }) => result === "refused" && !asExpected);
  const lines = signatures(refused?.attempts.at(-1)?.exchange ?? "");
  return lines.length === 0 ? [] : [...lines, ""];
}

function verdict({ outcome, reason, hint, deliveries, seed, command }: WebhookResult, paint: Paint): string[] {
  // Beside its delivery it was shown already.
  const isShown = deliveries.some(({ attempts }) => attempts.at(-1)?.hint === hint);
  const hints = hint === null || isShown ? [] : [`hint: ${harmlessLine(hint)}`];
  const again = command === "webhook" ? [`seed ${seed}: --seed ${seed} makes the same happen again`] : [];
  switch (outcome) {
    case "acknowledged":
      return [paint.good(`Acknowledged by ${plural(moduleCount(deliveries), "webhook module")}`)];
    case "refused":
      return [paint.good("Every delivery that was tampered with was refused, every right one acknowledged")];
    case "no-module":
      return [paint.bad(`Nothing was sent: ${reasonText(reason ?? "")}`), ...hints];
    case "inconclusive":
      return [paint.bad(`Inconclusive: ${reasonText(reason ?? "")}`), ...hints, ...again];
    case "failed":
      return [paint.bad(`Failed: ${reasonText(reason ?? "")}`), ...hints, ...again];
  }
}

function milliseconds(value: number): string {
  return `${Math.round(value * 10) / 10} ms`;
}

function moduleCount(deliveries: readonly Delivery[]): number {
  return new Set(deliveries.map(({ app, module }) => `${app} ${module}`)).size;
}
