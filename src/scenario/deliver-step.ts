import type { Failure } from "../platform/result-parts.ts";
import { parseDuration } from "../protocol/duration.ts";
import type { WebhookOptions } from "../webhook/webhook-options.ts";
import type { Delivery, WebhookResult } from "../webhook/webhook-result.ts";
import { type DeliverAction, isTampered } from "./scenario-schema.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/** What `webhook()` is to be asked for; without a seed of its own the step has this one. */
export function webhookCall(
  { deliver }: DeliverAction,
  seed: number,
): { readonly events: readonly string[]; readonly options: WebhookOptions } {
  const { events = [], delay, ...options } = deliver;
  const pause = delay === undefined ? {} : { delay: pauseOf(delay) };
  return { events: [events].flat(), options: { seed, ...options, ...pause } };
}

/** Milliseconds. */
function pauseOf(delay: NonNullable<DeliverAction["deliver"]["delay"]>): NonNullable<WebhookOptions["delay"]> {
  if (typeof delay === "string") return parseDuration(delay);
  return { min: parseDuration(delay.min), max: parseDuration(delay.max) };
}

/** Holds what came of the deliveries against what the step expects of them. */
export function judgeDeliver(action: DeliverAction, result: WebhookResult): StepOutcome {
  const { expect = {} } = action;
  const exchanges = result.deliveries.flatMap(exchangesOf);
  const wrong =
    !isTampered(action) && expect.result === "refused" ? whyNotRefused(result) : whyNotRight(action, result);
  if (wrong !== null)
    return { ...failed(wrong.reason, wrong.hint, exchanges, wrong.failure), decisive: wrong.decisive };
  // What is right in between is acknowledged, with whatever status.
  const expectedOf = ({ tampered }: Delivery) =>
    isTampered(action) && tampered === null ? { ...expect, status: undefined } : expect;
  const faults = result.deliveries.map((delivery) => faultOf(delivery, expectedOf(delivery)));
  const fault = faults.find((found) => found !== null) ?? null;
  if (fault === null) return passed(exchanges);
  return { ...failed(fault.reason, null, exchanges), decisive: fault.decisive };
}

/** What made a step fail. */
interface Fault {
  readonly reason: string;
  readonly decisive: readonly string[];
}

interface WrongEnd extends Fault {
  readonly hint: string | null;
  readonly failure: Exclude<Failure, null>;
}

/** What is right is to be acknowledged, and what is tampered with refused; null where it was so. */
function whyNotRight(action: DeliverAction, { outcome, reason, hint, failure, deliveries }: WebhookResult) {
  if (outcome === (isTampered(action) ? "refused" : "acknowledged")) return null;
  const believed = deliveries.find(({ tampered, acknowledged }) => tampered !== null && acknowledged);
  const decisive = lastOf(believed ?? deliveries.find(({ asExpected }) => !asExpected));
  return { reason: reason ?? `it was ${outcome}`, hint, failure: failure ?? "other", decisive } satisfies WrongEnd;
}

/** Every delivery is to be refused, although nothing is wrong with it; null where it was so. */
function whyNotRefused({ reason, hint, failure, deliveries }: WebhookResult): WrongEnd | null {
  const sent = deliveries.filter(({ result }) => result !== "dropped");
  const other = sent.find(({ result }) => result !== "refused");
  if (other === undefined) {
    const isSaid = sent.length > 0 && failure !== "interrupted";
    return isSaid ? null : { reason: reason ?? "nothing was sent", hint, failure: failure ?? "other", decisive: [] };
  }
  const last = other.attempts.at(-1);
  const said = other.acknowledged ? "the app acknowledged it" : (last?.reason ?? "it failed");
  return {
    reason: `the app was to refuse it: ${said}`,
    hint: last?.hint ?? null,
    failure: last?.failure ?? "other",
    decisive: lastOf(other),
  };
}

/** What is not as expected of a delivery that ended as expected. */
function faultOf(
  delivery: Delivery,
  { status, within, attempts: tries }: NonNullable<DeliverAction["expect"]>,
): Fault | null {
  const { module, attempts, tampered, result } = delivery;
  if (result === "dropped") return null;
  const webhook = `webhook ${module}${tampered === null ? "" : ` (tamper: ${tampered})`}`;
  const last = attempts.at(-1);
  if (status !== undefined && last?.status !== status) {
    return { reason: `${webhook} answered ${last?.status ?? "nothing"}, not ${status}`, decisive: lastOf(delivery) };
  }
  if (tries !== undefined && attempts.length !== tries) {
    return { reason: `${webhook} took ${count(attempts.length)}, not ${tries}`, decisive: exchangesOf(delivery) };
  }
  const slow = within === undefined ? undefined : attempts.find(({ ms }) => ms > parseDuration(within));
  if (slow === undefined) return null;
  // Rounded up, or it would be said to have answered in time.
  const when = slow.status === null ? "did not answer" : `answered after ${Math.ceil(slow.ms)} ms, not`;
  return { reason: `${webhook} ${when} within ${within}`, decisive: [slow.exchange] };
}

function exchangesOf({ attempts }: Delivery): string[] {
  return attempts.map(({ exchange }) => exchange);
}

function lastOf(delivery: Delivery | undefined): string[] {
  return delivery === undefined ? [] : exchangesOf(delivery).slice(-1);
}

function count(attempts: number): string {
  return attempts === 1 ? "one attempt" : `${attempts} attempts`;
}
