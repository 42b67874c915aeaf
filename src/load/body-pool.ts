import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { type EventSource, makeEvents } from "../webhook/make-events.ts";
import { bodyLimits, makeBodies, type WebhookBody } from "../webhook/rules/webhook-bodies.ts";

/** Different bodies for one module: enough that an app's cache of one does not answer for all. */
const POOL_BODIES = 256;
/** Events of all of them together. */
const POOL_EVENTS = 100_000;

/** The events that the bodies of a load are made of, those of several names mixed; the same for the same seed. */
export async function makeLoadEvents(
  context: SimulatorContext,
  choices: ChoiceReader,
  source: Omit<EventSource, "count">,
  batch: number,
  deliveries: number | null,
): Promise<WebhookEvent[]> {
  const bodies = Math.min(POOL_BODIES, deliveries ?? POOL_BODIES, Math.max(1, Math.floor(POOL_EVENTS / batch)));
  const kinds = Math.max(1, source.names.length);
  const events = await makeEvents(context, choices, { ...source, count: Math.ceil((bodies * batch) / kinds) });
  return source.names.length > 1 ? shuffled(events, seededRandom(source.seed)) : events;
}

/** Bodies of `batch` events each, which are sent in turn. What is left over is sent only where there is no other. */
export function bodyPool(
  events: readonly WebhookEvent[],
  batch: number,
  choices: ChoiceReader,
): readonly WebhookBody[] {
  const bodies = makeBodies(events, bodyLimits(choices, batch));
  const whole = bodies.filter((body) => body.events === batch);
  return (whole.length > 0 ? whole : bodies).slice(0, POOL_BODIES);
}

/** Says so where no body has room for as many events as it was to have. */
export function smallerBatch(module: string, bodies: readonly WebhookBody[], batch: number): string[] {
  const most = Math.max(...bodies.map(({ events }) => events));
  if (most === batch) return [];
  return [
    `deliveries to ${module} have ${most} of ${batch} events: no more are there, or fit (choice webhook.batch.bytes)`,
  ];
}
