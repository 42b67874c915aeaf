import { performance } from "node:perf_hooks";
import { failureOf } from "../app-client/call-app.ts";
import { explainOutcome } from "../app-client/explain-outcome.ts";
import type { AppCall } from "../app-client/ports.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { chooseModules, type Receiver } from "../webhook/choose-modules.ts";
import { eventNames } from "../webhook/event-names.ts";
import { deliveryMaker } from "../webhook/rules/delivery-request.ts";
import { bodyPool, makeLoadEvents, smallerBatch } from "./body-pool.ts";
import { explainDelivery, type LoadedModule } from "./bulk-delivery.ts";
import { type BulkGateway, createBulkGateway } from "./bulk-gateway.ts";
import { checkTargets } from "./check-targets.ts";
import { allowsErrors, allowsRate, judgeExpectation, parseExpectation } from "./expectations.ts";
import { judgeLoad } from "./judge-load.ts";
import { judgeRate } from "./judge-rate.ts";
import { type LoadOptions, type LoadPlan, planLoad } from "./load-options.ts";
import type { LoadResult } from "./load-result.ts";
import { measureLoad } from "./measure-load.ts";
import { reachTarget } from "./reach-target.ts";
import { loadTarget } from "./rules/load-target.ts";
import { scheduleOf, sendLoad } from "./send-load.ts";
import { createTally } from "./tally.ts";
import { tellProgress } from "./tell-progress.ts";

/**
 * Sends very many deliveries to the webhook modules that name the events, in turn, and measures what becomes of them
 * (interface 2.6, 4.2, 6): at a rate that no answer slows down, or from so many senders that each wait for theirs. Each
 * delivery is one attempt. A change that `once()` has waiting stays so: it is of one delivery and its events, which
 * nobody could tell among so many.
 * @throws UsageError before anything is sent, where an app or a module is at an address that gets no load (hardening S29)
 */
export async function runLoad(
  context: SimulatorContext,
  eventsOrNone: string | readonly string[],
  options: LoadOptions,
): Promise<LoadResult> {
  const names = eventNames("load()", eventsOrNone, options.data);
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
  const modules = chosen.receivers.map((receiver) => preparedModule(context, choices, receiver, plan));
  const origins = [...new Set(modules.map(({ url }) => url.origin))].map((origin) => new URL(origin));
  await checkTargets(origins, mayConnectTo);
  const timeoutMs = choices.get("webhook.timeout");
  const unreached = await firstUnreached(context, origins, timeoutMs, mayConnectTo);
  if (unreached !== null) {
    return { ...about, ...unreached, ...nothingSent, warnings: [...chosen.warnings], choices: choices.used() };
  }
  const isInterrupted = () => context.signal?.aborted === true;
  const tally = createTally(isInterrupted, (delivery) => explainDelivery(context, delivery));
  const started = context.clock.monotonic();
  const endProgress = tellProgress(context, tally, plan.count ?? scheduleOf(plan)?.total ?? null);
  const connected = connectModules(modules, (origin) => openGateway(context, origin, plan, timeoutMs, mayConnectTo));
  const gateways = new Set(connected.map(({ gateway }) => gateway));
  const utilization = performance.eventLoopUtilization();
  try {
    await sendLoad(context, plan, connected, tally);
  } finally {
    endProgress();
    await Promise.all([...gateways].map((gateway) => gateway.close()));
  }
  // Every delivery is judged by its status.
  const measured = measureLoad(tally, plan, started);
  const errors = tally.errors();
  const expectations = expected.map((expectation) => judgeExpectation(expectation, measured));
  const effort = {
    busyConnections: [...gateways].reduce((sum, gateway) => sum + gateway.busyConnections(), 0),
    connections: plan.connections * gateways.size,
    utilization: performance.eventLoopUtilization(utilization).utilization,
  };
  const shortfall = expected.some(allowsRate) ? null : judgeRate({ asked: plan, ...measured }, effort);
  const judged = { ...measured, errors, expectations, shortfall, allowsErrors: expected.some(allowsErrors) };
  return {
    ...about,
    ...judgeLoad({ ...judged, isInterrupted: isInterrupted() }),
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

type Verdict = Pick<LoadResult, "outcome" | "reason" | "hint" | "failure">;

/** Why one of the places cannot be sent anything; null where all can. */
async function firstUnreached(
  { signal }: SimulatorContext,
  origins: readonly URL[],
  timeoutMs: number,
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
): Promise<Verdict | null> {
  for (const origin of origins) {
    const fault = await reachTarget(origin, timeoutMs, mayConnectTo, signal);
    if (fault !== null) {
      return { outcome: "failed", failure: failureOf(fault), ...explainOutcome(fault, origin.href) };
    }
  }
  return null;
}

function preparedModule(
  { config: { organization } }: SimulatorContext,
  choices: ChoiceReader,
  receiver: Receiver,
  { batch }: LoadPlan,
): Omit<LoadedModule, "gateway"> {
  const { app, module, events, url } = receiver;
  const maker = deliveryMaker({ organization, appSecret: app.appSecret, module: module.key }, choices);
  return { receiver, url: new URL(url), maker, bodies: bodyPool(events, batch, choices) };
}

/** Gives each module the gateway to its origin, which need not be the app's. */
function connectModules(
  modules: readonly Omit<LoadedModule, "gateway">[],
  open: (origin: URL) => BulkGateway,
): LoadedModule[] {
  const gateways = new Map<string, BulkGateway>();
  return modules.map((module) => {
    const { origin } = module.url;
    const gateway = gateways.get(origin) ?? open(new URL(origin));
    gateways.set(origin, gateway);
    return { ...module, gateway };
  });
}

function openGateway(
  { clock, signal }: SimulatorContext,
  origin: URL,
  { connections }: LoadPlan,
  timeoutMs: number,
  mayConnectTo: NonNullable<AppCall["mayConnectTo"]>,
): BulkGateway {
  return createBulkGateway({ origin, connections, timeoutMs, mayConnectTo, clock, signal });
}
