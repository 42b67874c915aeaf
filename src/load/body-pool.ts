import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { type EventSource, makeEvents } from "../webhook/make-events.ts";
import { bodyLimits, makeBodies, type WebhookBody } from "../webhook/rules/webhook-bodies.ts";
import type { LoadPlan } from "./load-result.ts";

/** Number of different bodies for one module: enough to defeat a cache in the app. */
const POOL_BODIES = 256;
/** Total number of events in them. */
const POOL_EVENTS = 100_000;

/** The events of the bodies of a load, with several names mixed; the same for the same seed. */
export async function makeLoadEvents(
  context: SimulatorContext,
  choices: ChoiceReader,
  source: Omit<EventSource, "count">,
  { batch, count: deliveries }: LoadPlan,
): Promise<WebhookEvent[]> {
  const { names, seed } = source;
  const bodies = Math.min(POOL_BODIES, deliveries ?? POOL_BODIES, Math.max(1, Math.floor(POOL_EVENTS / batch)));
  const count = Math.ceil((bodies * batch) / Math.max(1, names.length));
  const events = await makeEvents(context, choices, { ...source, count });
  return names.length > 1 ? shuffled(events, seededRandom(seed)) : events;
}

/** Bodies of `batch` events each, to be sent in turn; a smaller last one only if it is the only one. */
export function bodyPool(events: readonly WebhookEvent[], batch: number, choices: ChoiceReader): WebhookBody[] {
  const bodies = makeBodies(events, bodyLimits(choices, batch));
  const whole = bodies.filter((body) => body.events === batch);
  return (whole.length > 0 ? whole : bodies).slice(0, POOL_BODIES);
}

/** A warning if no body has room for `batch` events. */
export function smallerBatch(module: string, bodies: readonly WebhookBody[], batch: number): string[] {
  const most = Math.max(...bodies.map(({ events }) => events));
  if (most === batch) return [];
  return [
    `deliveries to ${module} have only ${most} of ${batch} events: there are no more, or no more fit (choice webhook.batch.bytes)`,
  ];
}
