import type { ChoiceReader } from "../../config/choices.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { WebhookEvent } from "../../protocol/webhook.ts";
import { withCommas } from "../../protocol/with-commas.ts";

/** One body with its events (interface 2.6, 6.1): always an `events` array. */
export interface WebhookBody {
  readonly events: number;
  /** The bytes, serialized once. */
  readonly json: Buffer;
}

/** Limits for one body. */
export interface BodyLimits {
  readonly events: number;
  /** Before any content coding. */
  readonly bytes: number;
}

/** The limits that the choices set; `batch` replaces the number of events. */
export function bodyLimits(choices: ChoiceReader, batch?: number): BodyLimits {
  return { events: batch ?? choices.get("webhook.batch.events"), bytes: choices.get("webhook.batch.bytes") };
}

const FRAME_BYTES = '{"events":[]}'.length;

/**
 * ⏎ Puts events into as few bodies as the limits allow, in order.
 * @throws UsageError for an event that is too large even for its own body
 */
export function makeBodies(events: readonly WebhookEvent[], limits: BodyLimits): WebhookBody[] {
  const bodies: WebhookBody[] = [];
  let batch: string[] = [];
  let size = FRAME_BYTES;
  const close = () => {
    if (batch.length > 0) bodies.push({ events: batch.length, json: Buffer.from(`{"events":[${batch.join(",")}]}`) });
    batch = [];
    size = FRAME_BYTES;
  };
  for (const event of events) {
    const text = JSON.stringify(event);
    const bytes = Buffer.byteLength(text);
    if (FRAME_BYTES + bytes > limits.bytes) throw tooLarge(event.event, bytes, limits.bytes);
    // A comma before each event except the first.
    const comma = batch.length === 0 ? 0 : 1;
    if (batch.length === limits.events || size + comma + bytes > limits.bytes) close();
    size += (batch.length === 0 ? 0 : 1) + bytes;
    batch.push(text);
  }
  close();
  return bodies;
}

function tooLarge(name: string, bytes: number, limit: number): UsageError {
  return new UsageError(
    "event-too-large",
    `an event ${name} has ${withCommas(bytes)} bytes, but a body holds at most ${withCommas(limit)}`,
    "make it smaller, or raise the choice webhook.batch.bytes",
  );
}
