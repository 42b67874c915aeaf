import { type ChoiceReader, readChoices } from "../config/choices.ts";
import { onOwnTargets } from "../platform/own-targets.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import type { WebhookContext } from "./changeable.ts";
import { chooseModules, type Receiver } from "./choose-modules.ts";
import { type DeliveryPolicy, deliver } from "./deliver.ts";
import { diagnose, isUnbelieved, undiagnosedWarning } from "./diagnose.ts";
import { eventNames, makeEvents } from "./make-events.ts";
import { type Disturbances, type PlannedDelivery, planDeliveries, readDisturbances } from "./rules/delivery-plan.ts";
import { type DeliveryRequest, deliveryMaker } from "./rules/delivery-request.ts";
import {
  judgeDeliveries,
  judgeDelivery,
  spellingWarnings,
  summarize,
  type Transfer,
} from "./rules/judge-deliveries.ts";
import { type WebhookAnswer, webhookLeaks } from "./rules/leak-warnings.ts";
import { type RetryPolicy, retryPolicy } from "./rules/retry-policy.ts";
import { type Makers, respell, tamperedRequest, withProjectName } from "./rules/tampering.ts";
import { bodyLimits, makeBodies, type WebhookBody } from "./rules/webhook-bodies.ts";
import type { WebhookOptions } from "./webhook-options.ts";
import type { Delivery, WebhookDiagnosis, WebhookResult } from "./webhook-result.ts";

/** A body for one of the modules. */
interface AddressedBody {
  readonly id: string;
  readonly receiver: Receiver;
  readonly makers: Makers;
  readonly body: WebhookBody;
  /** Whether it is the first of its module, and its other spelling fits into a body. */
  readonly mayRespell: boolean;
}

/** Delivers events, in signed batches, to each webhook module that names one of them (interface 2.6, 6). */
export async function runWebhook(
  given: WebhookContext,
  eventsOrNone: string | readonly string[],
  options: WebhookOptions,
): Promise<WebhookResult> {
  const names = eventNames("webhook()", eventsOrNone, options);
  const disturbances = readDisturbances(options);
  const isAimed = disturbances.tamper.length > 0 || options.diagnose === true;
  const context = !isAimed ? given : await onOwnTargets(given, options.allowPublic === true);
  const choices = readChoices(context.choices);
  const seed = options.seed ?? context.ids.seed();
  const random = seededRandom(seed);
  const happened = await makeEvents(context, choices, { ...options, names, seed });
  const events = context.hooks.apply("events", options.shuffle === true ? shuffled(happened, random) : happened);
  const chosen = await chooseModules(context, events);
  const about = { command: "webhook" as const, seed, warnings: [...chosen.warnings] };
  if (!chosen.ok) {
    const { outcome, reason, hint, failure } = chosen;
    const nothing = { deliveries: [], summary: summarize([]), diagnosis: [], choices: choices.used() };
    return { ...about, outcome, reason, hint, failure, ...nothing };
  }
  const bodies = chosen.receivers.flatMap((receiver) => bodiesFor(context, choices, receiver, options));
  refuseFlood(bodies.length, disturbances);
  const planned = planDeliveries(bodies, disturbances, random);
  const plan = planned.filter(({ nonAscii, body }) => !nonAscii || withProjectName(body.json, "ascii") !== null);
  const deliveries = await deliverAll(context, choices, { plan, transfer: options, seed });
  // Every delivery is judged by its status.
  const isInterrupted = deliveries.length < plan.length || context.signal?.aborted === true;
  const isDiagnosed = options.diagnose === true && !isInterrupted;
  const diagnosis = isDiagnosed ? await diagnoseAll(context, choices, bodies, deliveries) : [];
  return {
    ...about,
    warnings: [
      ...about.warnings,
      ...spellingWarnings(deliveries),
      ...webhookLeaks(answersTo(context, deliveries, chosen.receivers)),
      ...(isDiagnosed ? undiagnosedWarning(deliveries, diagnosis) : []),
    ],
    ...judgeDeliveries(deliveries, isInterrupted),
    deliveries,
    summary: summarize(deliveries),
    diagnosis,
    choices: choices.used(),
  };
}

/** The app's answers, as far as the journal still has them. */
function answersTo(
  { journal }: WebhookContext,
  deliveries: readonly Delivery[],
  receivers: readonly Receiver[],
): WebhookAnswer[] {
  const records = new Map(journal.list().map((record) => [record.id, record]));
  return deliveries.flatMap(({ module, attempts, app: url }) => {
    const receiver = receivers.find((one) => one.module.key === module && one.app.url === url);
    return attempts.flatMap(({ exchange: id }) => {
      const exchange = records.get(id);
      return receiver && exchange?.type === "exchange" ? [{ app: receiver.app, module, exchange }] : [];
    });
  });
}

/** Makes the bodies for a module, and the makers that sign them. */
function bodiesFor(
  { config: { organization }, ids }: WebhookContext,
  choices: ChoiceReader,
  receiver: Receiver,
  { batch, gzip = false }: WebhookOptions,
): AddressedBody[] {
  const { app, module, events } = receiver;
  const parts = { organization, appSecret: app.appSecret, module: module.key, gzip };
  const makers = {
    right: deliveryMaker(parts, choices),
    wrong: deliveryMaker({ ...parts, appSecret: `${app.appSecret} of another app` }, choices),
  };
  const limits = bodyLimits(choices, batch);
  return makeBodies(events, limits).map((body, index) => {
    const mayRespell = index === 0 && respell(body.json).length <= limits.bytes;
    return { id: ids.next(), receiver, makers, body, mayRespell };
  });
}

/** Maximum number of deliveries in one run: the result lists each. */
const DELIVERY_LIMIT = 100_000;

/** @throws UsageError for more deliveries than one result can list */
function refuseFlood(bodies: number, { duplicate, tamper }: Disturbances): void {
  const deliveries = bodies * (1 + duplicate + (tamper.length === 0 ? 0 : tamper.length + 3));
  if (deliveries <= DELIVERY_LIMIT) return;
  throw new UsageError(
    "too-many-deliveries",
    `${withCommas(deliveries)} deliveries are too many: one run makes at most ${withCommas(DELIVERY_LIMIT)}`,
    "put more events into a body with --batch, or use `app-sim load`",
  );
}

interface PlannedRun {
  readonly plan: readonly PlannedDelivery<AddressedBody>[];
  readonly transfer: Transfer;
  /** Decides the jitter before retries. */
  readonly seed: number;
}

/** Makes the planned deliveries, as many at a time as the choice `webhook.order` says; fewer if the run is interrupted. */
async function deliverAll(
  context: WebhookContext,
  choices: ChoiceReader,
  { plan, transfer, seed }: PlannedRun,
): Promise<Delivery[]> {
  const timeoutMs = choices.get("webhook.timeout");
  // A retry would make the forged deliveries differ from the correct ones.
  const retry = plan.some(({ tampering }) => tampering !== null) ? noRetry : retryPolicy(choices);
  const deliveries: Delivery[] = [];
  const waiting = plan.entries();
  let failed = false;
  let done = 0;
  const sendInTurn = async () => {
    for (const [index, planned] of waiting) {
      if (failed || context.signal?.aborted === true) return;
      // Each delivery has a random sequence of its own: which answer arrives first must not matter.
      const policy = { timeoutMs, retry, random: seededRandom(seed + index) };
      const delivery = await deliverPlanned(context, policy, planned, transfer).catch((error) => {
        failed = true;
        throw error;
      });
      if (delivery === null) return;
      deliveries[index] = delivery;
      done += 1;
      context.onProgress({ what: "deliveries", done, of: plan.length });
    }
  };
  const senders = Array.from({ length: Math.min(choices.get("webhook.order"), plan.length) }, sendInTurn);
  const ended = await Promise.allSettled(senders);
  for (const end of ended) if (end.status === "rejected") throw end.reason;
  return deliveries.filter((delivery) => delivery !== undefined);
}

/** Finds out why modules refuse everything, one module after another. */
async function diagnoseAll(
  context: WebhookContext,
  choices: ChoiceReader,
  bodies: readonly AddressedBody[],
  deliveries: readonly Delivery[],
): Promise<WebhookDiagnosis[]> {
  const policy = { timeoutMs: choices.get("webhook.timeout"), retry: noRetry, random: seededRandom(0) };
  const found: WebhookDiagnosis[] = [];
  for (const receiver of new Set(bodies.map((each) => each.receiver))) {
    const own = bodies.filter((each) => each.receiver === receiver);
    const [first] = own;
    const ofModule = deliveries.filter(({ id }) => own.some((each) => each.id === id));
    if (first === undefined || !isUnbelieved(ofModule)) continue;
    found.push(await diagnose(context, choices, policy, { receiver, json: first.body.json }));
  }
  return found;
}

const noRetry: RetryPolicy = { retries: 0, backoffMs: 0, jitter: 0, obeysRetryAfter: false };

/** null if it was interrupted before it began. */
async function deliverPlanned(
  context: WebhookContext,
  policy: DeliveryPolicy,
  planned: PlannedDelivery<AddressedBody>,
  transfer: Transfer,
): Promise<Delivery | null> {
  const { id, receiver, body, copy, tampering: tampered, respelled, nonAscii, dropped, delayMs } = planned;
  const { app, module, url } = receiver;
  if (delayMs > 0) {
    context.onPause(delayMs);
    await context.clock.pause(delayMs, context.signal);
    if (context.signal?.aborted === true) return null;
  }
  const { json, ifRefused } = spellings(planned);
  let bytes = json.length;
  const requestOf = (spelled: Uint8Array) => (now: number) => {
    const sent = context.hooks.apply("delivery", makeRequest(planned, spelled, now));
    bytes = sent.body.length;
    return sent;
  };
  const outgoing = {
    ...{
      id,
      app,
      module: module.key,
      url,
      events: body.events,
      chunked: transfer.chunked === true,
      request: requestOf(json),
    },
    ...(ifRefused === null ? {} : { ifRefused: requestOf(ifRefused) }),
  };
  const attempts = dropped ? [] : await deliver(context, policy, outgoing);
  const what = { id, module: module.key, app: app.url, url, events: body.events, bytes };
  const how = { copy, tampered, respelled, nonAscii };
  return {
    ...what,
    ...how,
    ...judgeDelivery({ tampered, nonAscii, dropped, gzip: transfer.gzip, chunked: transfer.chunked }, attempts),
    attempts,
  };
}

/** The body of a delivery as it is sent, and the body sent next if the app does not believe the first. */
function spellings({ body: { json }, respelled, nonAscii, fallsBack }: PlannedDelivery<AddressedBody>) {
  if (nonAscii) return { json: withProjectName(json, "nonAscii") ?? json, ifRefused: withProjectName(json, "ascii") };
  return { json: respelled ? respell(json) : json, ifRefused: fallsBack ? json : null };
}

function makeRequest(
  { makers, tampering, id }: PlannedDelivery<AddressedBody>,
  json: Uint8Array,
  now: number,
): DeliveryRequest {
  return tampering === null ? makers.right.make(json, now, id) : tamperedRequest(tampering, makers, { json, now, id });
}
