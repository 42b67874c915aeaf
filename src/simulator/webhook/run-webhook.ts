import { type Adversity, type PlannedDelivery, planDeliveries } from "../../platform/delivery-plan.ts";
import { deliveryMaker } from "../../platform/delivery-request.ts";
import { type Random, seededRandom, shuffled } from "../../platform/random.ts";
import { type RetryPolicy, retryPolicy } from "../../platform/retry-policy.ts";
import { type Makers, tamperedRequest } from "../../platform/tampering.ts";
import { makeBodies, type WebhookBody } from "../../platform/webhook-bodies.ts";
import { type ChoiceReader, readChoices } from "../../protocol/choices.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SimulatorContext } from "../context.ts";
import { takeTurns } from "../take-turns.ts";
import { chooseModules, type Receiver } from "./choose-modules.ts";
import { type DeliveryPolicy, deliver } from "./deliver.ts";
import { judgeDeliveries, judgeDelivery, summarize } from "./judge-deliveries.ts";
import { makeEvents } from "./make-events.ts";
import type { webhookOptionsSchema } from "./webhook-options.ts";
import type { Delivery, WebhookResult } from "./webhook-result.ts";

type Options = (typeof webhookOptionsSchema)["_output"];

/** A body for one of the modules. */
interface Letter {
  readonly id: string;
  readonly receiver: Receiver;
  readonly makers: Makers;
  readonly body: WebhookBody;
}

/** Delivers events, in signed batches, to each webhook module that names some of them (interface 2.6, 6). */
export async function runWebhook(
  context: SimulatorContext,
  names: readonly string[],
  options: Options,
): Promise<WebhookResult> {
  const choices = readChoices(context.choices);
  const adversity = adversityOf(options);
  const seed = options.seed ?? context.ids.seed();
  const random = seededRandom(seed);
  const happened = await makeEvents(context, choices, { ...options, names, seed });
  const events = context.hooks.apply("events", options.shuffle === true ? shuffled(happened, random) : happened);
  const chosen = await chooseModules(context, events);
  const about = { command: "webhook" as const, seed, warnings: [...chosen.warnings] };
  if (!chosen.ok) {
    const { outcome, reason, hint, failure } = chosen;
    const nothing = { deliveries: [], summary: summarize([]), choices: choices.used() };
    return { ...about, outcome, reason, hint, failure, ...nothing };
  }
  const letters = chosen.receivers.flatMap((receiver) => lettersTo(context, choices, receiver, options));
  const plan = planDeliveries(letters, adversity, random);
  const deliveries = await deliverAll(context, choices, plan, options.chunked === true, random);
  // Every delivery is judged by its status.
  choices.relyOn("webhook.redirect");
  const isInterrupted = deliveries.length < plan.length || context.signal?.aborted === true;
  return {
    ...about,
    ...judgeDeliveries(deliveries, isInterrupted),
    deliveries,
    summary: summarize(deliveries),
    choices: choices.used(),
  };
}

function adversityOf({ duplicate = 0, shuffle = false, delay = 0, drop = 0, tamper = [] }: Options): Adversity {
  const bounds = typeof delay === "number" ? { min: delay, max: delay } : delay;
  if (bounds.min > bounds.max) {
    throw new UsageError(
      "delay-invalid",
      `a delay from ${bounds.min} to ${bounds.max} milliseconds ends before it begins`,
      "give the shorter one first",
    );
  }
  const tampering = typeof tamper === "string" ? [tamper] : tamper;
  if (tampering.length > 0 && drop > 0) {
    throw new UsageError(
      "drop-with-tamper",
      "drop and tamper do not go together: a delivery that is lost cannot show that the right ones are accepted",
      "run them one after the other",
    );
  }
  return { duplicate, shuffle, delay: bounds, drop, tamper: tampering };
}

/** The bodies for a module, and how to make requests of them. */
function lettersTo(
  { config: { organization }, ids }: SimulatorContext,
  choices: ChoiceReader,
  receiver: Receiver,
  { batch, gzip = false }: Options,
): Letter[] {
  const { app, module, events } = receiver;
  const limits = { events: batch ?? choices.get("webhook.batch.events"), bytes: choices.get("webhook.batch.bytes") };
  const parts = { organization, appSecret: app.appSecret, module: module.key, gzip };
  const makers = {
    right: deliveryMaker(parts, choices),
    wrong: deliveryMaker({ ...parts, appSecret: `${app.appSecret} of another app` }, choices),
  };
  return makeBodies(events, limits).map((body) => ({ id: ids.next(), receiver, makers, body }));
}

/** All of the plan, as many at a time as the choice `webhook.order` says; fewer where the run is interrupted. */
async function deliverAll(
  context: SimulatorContext,
  choices: ChoiceReader,
  plan: readonly PlannedDelivery<Letter>[],
  chunked: boolean,
  random: Random,
): Promise<Delivery[]> {
  const policy = { timeoutMs: choices.get("webhook.timeout"), random };
  const retry = retryPolicy(choices);
  const inTurn = takeTurns(choices.get("webhook.order"));
  let done = 0;
  const made = plan.map((planned) =>
    inTurn(async () => {
      if (context.signal?.aborted === true) return [];
      const delivery = await deliverPlanned(context, { ...policy, retry: retryFor(planned, retry) }, planned, chunked);
      done += 1;
      context.onProgress({ what: "deliveries", done, of: plan.length });
      return [delivery];
    }),
  );
  return (await Promise.all(made)).flat();
}

/** What has to be refused is not tried again: a second try would only hide that the first was accepted. */
function retryFor({ tampering }: PlannedDelivery<Letter>, retry: RetryPolicy): RetryPolicy {
  return tampering === null ? retry : { ...retry, retries: 0 };
}

async function deliverPlanned(
  context: SimulatorContext,
  policy: DeliveryPolicy,
  { id, receiver, makers, body, copy, tampering, dropped, delayMs }: PlannedDelivery<Letter>,
  chunked: boolean,
): Promise<Delivery> {
  const { app, module, url } = receiver;
  if (delayMs > 0) {
    context.onPause(delayMs);
    await context.clock.pause(delayMs, context.signal);
  }
  let bytes = body.json.length;
  const request = (now: number) => {
    const signed =
      tampering === null
        ? makers.right.make(body.json, now, id)
        : tamperedRequest(tampering, makers, body.json, now, id);
    const sent = context.hooks.apply("delivery", signed);
    bytes = sent.body.length;
    return sent;
  };
  const attempts = dropped ? [] : await deliver(context, policy, { id, module: module.key, url, chunked, request });
  const facts = { id, module: module.key, app: app.url, url, events: body.events, bytes, copy, tampered: tampering };
  return { ...facts, ...judgeDelivery(tampering, dropped, attempts), attempts };
}
