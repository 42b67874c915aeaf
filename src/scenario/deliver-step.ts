import { parseDuration } from "../protocol/duration.ts";
import type { WebhookOptions } from "../webhook/webhook-options.ts";
import type { Delivery, WebhookResult } from "../webhook/webhook-result.ts";
import { type DeliverAction, isTampered } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/**
 * The arguments of `webhook()`.
 * @param seed unless the step has its own
 */
export function webhookCall(
  { deliver }: DeliverAction,
  seed: number,
): { readonly events: readonly string[]; readonly options: WebhookOptions } {
  const { events = [], delay, ...rest } = deliver;
  const options = { seed, ...rest };
  if (delay === undefined) return { events: [events].flat(), options };
  const milliseconds =
    typeof delay === "string" ? parseDuration(delay) : { min: parseDuration(delay.min), max: parseDuration(delay.max) };
  return { events: [events].flat(), options: { ...options, delay: milliseconds } };
}

/** Compares the deliveries with what the step expects. */
export function judgeDeliver(action: DeliverAction, result: WebhookResult): StepOutcome {
  const { expect = {} } = action;
  const { outcome, reason, hint, failure, deliveries } = result;
  const exchanges = deliveries.flatMap(exchangesOf);
  if (!isTampered(action) && expect.result === "refused") {
    const problem = whyNotRefused(result);
    if (problem !== null) return { ...problem, exchanges };
  } else if (outcome !== (isTampered(action) ? "refused" : "acknowledged")) {
    const believed = deliveries.find(({ tampered, acknowledged }) => tampered !== null && acknowledged);
    const decisive = lastOf(believed ?? deliveries.find(({ asExpected }) => !asExpected));
    return { ...failed(reason ?? `it was ${outcome}`, hint, exchanges, failure), decisive };
  }
  for (const delivery of deliveries) {
    // Next to tampered ones, deliveries that are not tampered with may have any status.
    const isBetween = isTampered(action) && delivery.tampered === null;
    const fault = faultOf(delivery, isBetween ? { ...expect, status: undefined } : expect);
    if (fault !== null) return { ...failed(fault.reason, null, exchanges), decisive: fault.decisive };
  }
  return passed(exchanges);
}

/** The app must refuse every delivery, although they are valid; null if it did. */
function whyNotRefused({ reason, hint, failure, deliveries }: WebhookResult): StepOutcome | null {
  const sent = deliveries.filter(({ result }) => result !== "dropped");
  const other = sent.find(({ result }) => result !== "refused");
  if (other === undefined) {
    const isComplete = sent.length > 0 && failure !== "interrupted";
    return isComplete ? null : failed(reason ?? "nothing was sent", hint, [], failure);
  }
  const last = other.attempts.at(-1);
  const instead = other.acknowledged ? "the app acknowledged it" : (last?.reason ?? "it failed");
  const text = `the app should have refused it: ${instead}`;
  return { ...failed(text, last?.hint ?? null, [], last?.failure), decisive: lastOf(other) };
}

/** Why a delivery with the right outcome is still not as expected. */
function faultOf(
  delivery: Delivery,
  { status, within, attempts: tries }: NonNullable<DeliverAction["expect"]>,
): { readonly reason: string; readonly decisive: string[] } | null {
  const { module, attempts, tampered, result } = delivery;
  if (result === "dropped") return null;
  const webhook = `webhook ${module}${tampered === null ? "" : ` (tamper: ${tampered})`}`;
  const last = attempts.at(-1);
  if (status !== undefined && last?.status !== status) {
    return { reason: `${webhook} answered ${last?.status ?? "nothing"}, not ${status}`, decisive: lastOf(delivery) };
  }
  if (tries !== undefined && attempts.length !== tries) {
    const made = attempts.length === 1 ? "one attempt" : `${attempts.length} attempts`;
    return { reason: `${webhook} took ${made}, not ${tries}`, decisive: exchangesOf(delivery) };
  }
  const slow = within === undefined ? undefined : attempts.find(({ ms }) => ms > parseDuration(within));
  if (slow === undefined) return null;
  // Rounded up: rounded down it might seem in time.
  const when = slow.status === null ? "did not answer" : `answered after ${Math.ceil(slow.ms)} ms, not`;
  return { reason: `${webhook} ${when} within ${within}`, decisive: [slow.exchange] };
}

function exchangesOf({ attempts }: Delivery): string[] {
  return attempts.map(({ exchange }) => exchange);
}

function lastOf(delivery: Delivery | undefined): string[] {
  return delivery === undefined ? [] : exchangesOf(delivery).slice(-1);
}
