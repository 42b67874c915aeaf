import { parseDuration } from "../../protocol/duration.ts";
import type { WebhookOptions } from "../webhook/webhook-options.ts";
import type { Delivery, WebhookResult } from "../webhook/webhook-result.ts";
import type { DeliverAction } from "./scenario-schema.ts";
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
export function judgeDelivery({ deliver, expect = {} }: DeliverAction, result: WebhookResult): StepOutcome {
  const isTampered = deliver.tamper !== undefined && deliver.tamper.length > 0;
  const expected = expect.result ?? (isTampered ? "refused" : "acknowledged");
  const exchanges = result.deliveries.flatMap(({ attempts }) => attempts.map(({ exchange }) => exchange));
  if (!endedAs(expected, result)) {
    const said = result.reason ?? (expected === "refused" ? "the app acknowledged it" : `it was ${result.outcome}`);
    const reason = expected === "refused" ? `the app was to refuse it: ${said}` : said;
    return failed(reason, result.hint, exchanges, result.failure ?? "other");
  }
  const fault = result.deliveries.flatMap((delivery) => faultOf(delivery, expect) ?? [])[0];
  return fault === undefined ? passed(exchanges) : failed(fault, null, exchanges);
}

function endedAs(expected: "acknowledged" | "refused", { outcome, deliveries }: WebhookResult): boolean {
  if (outcome === expected) return true;
  const sent = deliveries.filter(({ result }) => result !== "dropped");
  return expected === "refused" && sent.length > 0 && sent.every(({ result }) => result === "refused");
}

/** What is not as expected of a delivery that ended as expected. */
function faultOf(
  { module, attempts, result }: Delivery,
  { status, within, attempts: tries }: NonNullable<DeliverAction["expect"]>,
): string | null {
  if (result === "dropped") return null;
  const last = attempts.at(-1);
  if (status !== undefined && last?.status !== status)
    return `webhook ${module} answered ${last?.status ?? "nothing"}, not ${status}`;
  if (tries !== undefined && attempts.length !== tries)
    return `webhook ${module} took ${count(attempts.length)}, not ${tries}`;
  const slow = within === undefined ? undefined : attempts.find(({ ms }) => ms > parseDuration(within));
  return slow === undefined ? null : `webhook ${module} answered after ${Math.round(slow.ms)} ms, not within ${within}`;
}

function count(attempts: number): string {
  return attempts === 1 ? "one attempt" : `${attempts} attempts`;
}
