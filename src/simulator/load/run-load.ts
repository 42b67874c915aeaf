import { deliveryMaker } from "../../platform/delivery-request.ts";
import { loadTarget } from "../../platform/load-target.ts";
import { type ChoiceReader, readChoices } from "../../protocol/choices.ts";
import type { SimulatorContext } from "../context.ts";
import type { AppCall } from "../ports.ts";
import { chooseModules, type Receiver } from "../webhook/choose-modules.ts";
import { bodyPool, makeLoadEvents, smallerBatch } from "./body-pool.ts";
import { explainDelivery, type LoadedModule } from "./bulk-delivery.ts";
import { type BulkGateway, createBulkGateway } from "./bulk-gateway.ts";
import { checkTargets } from "./check-targets.ts";
import { allowsErrors, judgeExpectation, parseExpectation } from "./expectations.ts";
import { judgeLoad } from "./judge-load.ts";
import { type LoadPlan, type loadOptionsSchema, planLoad } from "./load-options.ts";
import type { LoadResult } from "./load-result.ts";
import { measureLoad } from "./measure-load.ts";
import { scheduleOf, sendLoad } from "./send-load.ts";
import { createTally } from "./tally.ts";
import { tellProgress } from "./tell-progress.ts";

type Options = (typeof loadOptionsSchema)["_output"];

/**
 * Sends very many deliveries to the webhook modules that name the events, in turn, and measures what becomes of them
 * (interface 2.6, 4.2, 6): at a rate that no answer slows down, or from so many senders that each wait for theirs. Each
 * delivery is one attempt.
 * @throws UsageError before anything is sent, where an app is at an address that gets no load (hardening S29)
 */
export async function runLoad(
  context: SimulatorContext,
  names: readonly string[],
  options: Options,
): Promise<LoadResult> {
  const plan = planLoad(options);
  const expected = [options.expect ?? []].flat().map(parseExpectation);
  const mayConnectTo = (address: string) => loadTarget(address, options.allowPublic === true);
  const apps = context.config.apps.map(({ url }) => new URL(url));
  await checkTargets(apps, mayConnectTo);
  const choices = readChoices(context.choices);
  const seed = options.seed ?? context.ids.seed();
  const events = await makeLoadEvents(context, choices, { ...options, names, seed }, plan.batch, plan.count);
  const chosen = await chooseModules(context, events);
  const about = { command: "load" as const, seed, asked: plan };
  if (!chosen.ok) {
    const { reason, hint, failure, warnings } = chosen;
    const verdict = { outcome: "failed" as const, reason, hint, failure };
    return { ...about, ...verdict, ...nothingSent, warnings: [...warnings], choices: choices.used() };
  }
  const gateways = openGateways(context, apps, plan, choices.get("webhook.timeout"), mayConnectTo);
  const modules = chosen.receivers.map((receiver) => loadedModule(context, choices, receiver, plan, gateways));
  const isInterrupted = () => context.signal?.aborted === true;
  const tally = createTally(isInterrupted, (delivery) => explainDelivery(context, delivery));
  const started = context.clock.monotonic();
  const endProgress = tellProgress(context, tally, plan.count ?? scheduleOf(plan)?.total ?? null);
  try {
    await sendLoad(context, plan, modules, tally);
  } finally {
    endProgress();
    await Promise.all([...gateways.values()].map((gateway) => gateway.close()));
  }
  // Every delivery is judged by its status.
  choices.relyOn("webhook.redirect");
  const measured = measureLoad(tally, plan, started);
  const errors = tally.errors();
  const expectations = expected.map((expectation) => judgeExpectation(expectation, measured));
  const judged = { ...measured, errors, expectations, allowsErrors: expected.some(allowsErrors) };
  return {
    ...about,
    ...judgeLoad({ ...judged, isInterrupted: isInterrupted() }),
    ...measured,
    errors,
    expectations,
    warnings: [
      ...chosen.warnings,
      ...modules.flatMap(({ receiver, bodies }) => smallerBatch(receiver.module.key, bodies, plan.batch)),
    ],
    choices: choices.used(),
  };
}

const nothingSent = {
  sent: 0,
  events: 0,
  acknowledged: 0,
  failed: 0,
  notSent: 0,
  bytes: 0,
  seconds: 0,
  rate: 0,
  latency: null,
  serviceTime: null,
  errors: [],
  expectations: [],
};

function openGateways(
  { clock, signal }: SimulatorContext,
  apps: readonly URL[],
  { connections }: LoadPlan,
  timeoutMs: number,
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
): ReadonlyMap<string, BulkGateway> {
  const origins = [...new Set(apps.map(({ origin }) => origin))];
  return new Map(
    origins.map((origin) => {
      const gateway = createBulkGateway({
        origin: new URL(origin),
        connections,
        timeoutMs,
        mayConnectTo,
        clock,
        signal,
      });
      return [origin, gateway];
    }),
  );
}

function loadedModule(
  { config: { organization } }: SimulatorContext,
  choices: ChoiceReader,
  receiver: Receiver,
  { batch }: LoadPlan,
  gateways: ReadonlyMap<string, BulkGateway>,
): LoadedModule {
  const { app, module, events } = receiver;
  const url = new URL(receiver.url);
  const gateway = gateways.get(url.origin);
  if (gateway === undefined) throw new RangeError(`a webhook module outside of its app: ${receiver.url}`);
  const maker = deliveryMaker({ organization, appSecret: app.appSecret, module: module.key }, choices);
  return { receiver, url, gateway, maker, bodies: bodyPool(events, batch, choices) };
}
