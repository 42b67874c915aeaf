import { UsageError } from "../protocol/usage-error.ts";
import { tamperings } from "../protocol/webhook.ts";
import type { Adversity } from "./rules/delivery-plan.ts";
import type { WebhookOptions } from "./webhook-options.ts";

/**
 * What is to go wrong on the way.
 * @throws UsageError for what does not go together
 */
export function adversityOf({
  duplicate = 0,
  shuffle = false,
  delay = 0,
  drop = 0,
  tamper = [],
}: WebhookOptions): Adversity {
  const bounds = typeof delay === "number" ? { min: delay, max: delay } : delay;
  if (bounds.min > bounds.max) {
    throw new UsageError(
      "delay-invalid",
      `a delay from ${bounds.min} to ${bounds.max} milliseconds ends before it begins`,
      "give the shorter one first",
    );
  }
  const asked = typeof tamper === "string" ? [tamper] : tamper;
  const tampering = tamperings.filter((kind) => asked.includes(kind) || asked.includes("all"));
  if (tampering.length > 0 && drop > 0) {
    throw new UsageError(
      "drop-with-tamper",
      "drop and tamper do not go together: a delivery that is lost cannot show that the right ones are accepted",
      "run them one after the other",
    );
  }
  return { duplicate, shuffle, delay: bounds, drop, tamper: tampering };
}
