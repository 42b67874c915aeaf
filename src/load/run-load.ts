import { performance } from "node:perf_hooks";
import { failureOf } from "../app-client/call-app.ts";
import { explainOutcome } from "../app-client/explain-outcome.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import type { LoadRecord } from "../journal/record.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { foreignAddress } from "../platform/own-networks.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { chooseModules, type Receiver } from "../webhook/choose-modules.ts";
import { eventNames } from "../webhook/make-events.ts";
import { deliveryMaker } from "../webhook/rules/delivery-request.ts";
import { bodyPool, makeLoadEvents, smallerBatch } from "./body-pool.ts";
import { explainDelivery, type LoadedModule } from "./bulk-delivery.ts";
import { BulkGateway } from "./bulk-gateway.ts";
import { type LoadOptions, planLoad } from "./load-options.ts";
import type { LoadPlan, LoadResult, LoadVerdict } from "./load-result.ts";
import {
  allowsErrors,
  allowsRate,
  expectationTexts,
  judgeExpectation,
  parseExpectation,
} from "./rules/expectations.ts";
import { judgeLoad, judgeRate } from "./rules/judge-load.ts";
import { scheduleOf, sendLoad } from "./send-load.ts";
import { Tally } from "./tally.ts";
import { checkTargets, type MayConnectTo, reachTarget } from "./targets.ts";

/**
 * Sends very many deliveries to the webhook modules that name the events, in turn, and measures them (interface 2.6,
 * 4.2, 6): at a fixed rate, or from senders that each wait for their answer. Each delivery is one attempt. A pending
 * change of `once()` is not used up: among that many deliveries it would be invisible.
 * @throws UsageError before anything is sent, if an app or a module is at an address that must not be loaded
 */
export async function runLoad(
  context: SimulatorContext,
  eventsOrNone: string | readonly string[],
  options: LoadOptions,
): Promise<LoadResult> {
  const { config, clock, signal } = context;
  const names = eventNames("load()", eventsOrNone, options);
  const plan = planLoad(options);
  const expected = expectationTexts(options.expect).map(parseExpectation);
  const mayConnectTo = (address: string) => foreignAddress(address, options.allowPublic === true);
  await checkTargets(
    config.apps.map(({ url }) => new URL(url)),
    mayConnectTo,
  );
  const choices = readChoices(context.choices);
  const seed = options.seed ?? context.ids.seed();
  const events = await makeLoadEvents(context, choices, { ...options, names, seed }, plan);
  const chosen = await chooseModules(context, events, true);
  const about = { command: "load" as const, seed, asked: plan };
  if (!chosen.ok) {
    const { reason, hint, failure, warnings } = chosen;
    const verdict = { outcome: "failed" as const, reason, hint, failure };
    return { ...about, ...verdict, ...nothingSent, warnings: [...warnings], choices: choices.used() };
  }
  const modules = chosen.receivers.map((receiver) => prepareModule(context, choices, receiver, plan));
  const origins = [...new Set(modules.map(({ url }) => url.origin))].map((origin) => new URL(origin));
  await checkTargets(origins, mayConnectTo);
  const timeoutMs = choices.get("webhook.timeout");
  const unreached = await firstUnreached(origins, timeoutMs, mayConnectTo, signal);
  if (unreached !== null) {
    return { ...about, ...unreached, ...nothingSent, warnings: [...chosen.warnings], choices: choices.used() };
  }
  const { connections } = plan;
  const gateways = origins.map((origin) => {
    return new BulkGateway({ origin, connections, timeoutMs, mayConnectTo, clock, signal });
  });
  const { effort, errors, curve, ...measured } = await measureLoad(context, plan, modules, gateways);
  const expectations = expected.map((expectation) => judgeExpectation(expectation, measured));
  const shortfall = expected.some(allowsRate) ? null : judgeRate({ asked: plan, ...measured }, effort);
  const facts = { ...measured, errors, expectations, shortfall, allowsErrors: expected.some(allowsErrors) };
  const verdict = judgeLoad({ ...facts, isInterrupted: signal?.aborted === true });
  context.journal.append(loadRecord(context, { ...verdict, ...measured, errors }, curve));
  return {
    ...about,
    ...verdict,
    ...measured,
    errors,
    expectations,
    warnings: [
      ...chosen.warnings,
      ...modules.flatMap(({ receiver, bodies }) => smallerBatch(receiver.module.key, bodies, plan.batch)),
      ...(shortfall === null || shortfall.isFailure ? [] : [shortfall.reason]),
    ],
    choices: choices.used(),
  };
}

/** The journal's record of a load, whose deliveries are too many for it. */
function loadRecord(
  { ids, clock }: SimulatorContext,
  result: Pick<
    LoadResult,
    "outcome" | "reason" | "sent" | "failed" | "notSent" | "seconds" | "rate" | "latency" | "errors"
  >,
  curve: LoadRecord["curve"],
): LoadRecord {
  const { outcome, reason, sent, failed, notSent, seconds, rate, latency, errors } = result;
  return {
    ...{ type: "load", id: ids.next(), at: new Date(clock.now()).toISOString(), outcome, reason },
    ...{ sent, failed, notSent, seconds, rate, curve },
    latency: latency && { p50: latency.p50, p95: latency.p95, p99: latency.p99, max: latency.max },
    exchanges: errors.flatMap(({ exchange }) => exchange ?? []),
  };
}

type PreparedModule = Omit<LoadedModule, "gateway">;

function prepareModule(
  { config: { organization } }: SimulatorContext,
  choices: ChoiceReader,
  receiver: Receiver,
  { batch }: LoadPlan,
): PreparedModule {
  const { app, module, events, url } = receiver;
  const maker = deliveryMaker({ organization, appSecret: app.appSecret, module: module.key }, choices);
  return { receiver, url: new URL(url), maker, bodies: bodyPool(events, batch, choices) };
}

/** Sends the load over the gateways, one for each origin, and closes them. */
async function measureLoad(
  context: SimulatorContext,
  plan: LoadPlan,
  modules: readonly PreparedModule[],
  gateways: readonly BulkGateway[],
) {
  const started = context.clock.monotonic();
  const tally = new Tally(
    started,
    () => context.signal?.aborted === true,
    (delivery) => explainDelivery(context, delivery),
  );
  const progress = setInterval(progressTeller(context, tally, plan.count ?? scheduleOf(plan)?.total), PROGRESS_MS);
  const connected = modules.flatMap((module) => {
    const gateway = gateways.find(({ origin }) => origin.origin === module.url.origin);
    return gateway === undefined ? [] : [{ ...module, gateway }];
  });
  const utilization = performance.eventLoopUtilization();
  try {
    await sendLoad(context, plan, connected, tally);
  } finally {
    clearInterval(progress);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  }
  return {
    ...tally.measured(plan),
    errors: tally.errors(),
    curve: tally.curve(),
    effort: {
      busyConnections: gateways.reduce((sum, { busyConnections }) => sum + busyConnections, 0),
      connections: plan.connections * gateways.length,
      utilization: performance.eventLoopUtilization(utilization).utilization,
    },
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

/** Why one of the targets cannot be reached; null if all can. */
async function firstUnreached(
  origins: readonly URL[],
  timeoutMs: number,
  mayConnectTo: MayConnectTo,
  signal: AbortSignal | undefined,
): Promise<LoadVerdict | null> {
  for (const origin of origins) {
    const fault = await reachTarget(origin, timeoutMs, mayConnectTo, signal);
    if (fault !== null) return { outcome: "failed", failure: failureOf(fault), ...explainOutcome(fault, origin.href) };
  }
  return null;
}

const PROGRESS_MS = 1000;

/** Reports the progress of the load each time it is called. */
function progressTeller({ clock, onProgress }: SimulatorContext, tally: Tally, of: number | undefined): () => void {
  let before = { at: clock.monotonic(), done: 0 };
  return () => {
    const { sent: done, failed, notSent, latency } = tally.counts();
    const at = clock.monotonic();
    const perSecond = Math.round(((done - before.done) * 1000) / (at - before.at));
    const p95 = latency === null ? "" : `, p95 ${withCommas(Math.round(latency.p95))} ms`;
    const errors = failed === 0 ? "" : `, ${withCommas(failed)} failed`;
    const missing = notSent === 0 ? "" : `, ${withCommas(notSent)} never sent`;
    const what = `deliveries, ${withCommas(perSecond)}/s${p95}${errors}${missing}`;
    onProgress({ what, done, ...(of === undefined ? {} : { of }) });
    before = { at, done };
  };
}
