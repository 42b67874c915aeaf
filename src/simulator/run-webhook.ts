import { explainStatus } from "../checks/read-answer.ts";
import type { App } from "../config/schema.ts";
import type { HeaderLines } from "../journal/exchange.ts";
import { environmentOf, webhookMismatch } from "../platform/modules.ts";
import { signatureHeaders } from "../platform/signature.ts";
import { makeEvents, overrideEvents, parseOverride } from "../platform/webhook-batch.ts";
import { type ChoiceReader, readChoices } from "../protocol/choices.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import type { WebhookModule } from "../protocol/manifest.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { shownEvents, type WebhookEvent } from "../protocol/webhook.ts";
import { callApp, type SimulatorContext } from "./context.ts";
import { type InstalledApp, loadManifests } from "./manifests.ts";
import type { Delivery, WebhookResult } from "./results.ts";

export interface WebhookOptions {
  /** Events of each name in the batch; default 1. */
  readonly count?: number;
  /** `path=value` pairs, see `overrideEvents`. */
  readonly set?: readonly string[];
}

const COUNT_LIMIT = 100_000;

/** Delivers one signed batch to each webhook module that names one of the events (interface 6). */
export async function runWebhook(
  context: SimulatorContext,
  names: readonly string[],
  options: WebhookOptions,
): Promise<WebhookResult> {
  const choices = readChoices(context.choices);
  const events = eventsOf(context, names, options, choices);
  const installed = await loadManifests(context);
  const blank = { command: "webhook", reason: null, hint: null, failure: null, deliveries: [], warnings: [] } as const;
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    return {
      ...blank,
      deliveries: [],
      warnings: [],
      outcome: "failed",
      reason,
      hint,
      failure,
      choices: choices.used(),
    };
  }
  const { wanted, others } = chooseModules(
    context,
    installed.apps,
    events.map(({ event }) => event),
  );
  const warnings = [...installed.warnings, ...others.restricted];
  if (wanted.length === 0) {
    return {
      ...blank,
      ...noModule(names, others.named),
      deliveries: [],
      warnings,
      outcome: "no-module",
      choices: choices.used(),
    };
  }
  const deliveries: Delivery[] = [];
  for (const { app, module } of wanted) deliveries.push(await deliver(context, choices, app, module, events));
  const failed = deliveries.find((delivery) => !delivery.acknowledged);
  const last = failed?.attempts.at(-1);
  return {
    ...blank,
    outcome: failed === undefined ? "acknowledged" : "failed",
    reason: last?.reason ?? null,
    hint: last?.hint ?? null,
    failure: last?.failure ?? null,
    deliveries,
    warnings,
    choices: choices.used(),
  };
}

function eventsOf(
  context: SimulatorContext,
  names: readonly string[],
  { count = 1, set = [] }: WebhookOptions,
  choices: ChoiceReader,
): WebhookEvent[] {
  if (names.length === 0) throw new UsageError("events-missing", "no event is named", "for example project.translated");
  if (!Number.isInteger(count) || count < 1 || count > COUNT_LIMIT) {
    throw new UsageError(
      "count-invalid",
      `--count ${count}: expected a whole number from 1 to ${COUNT_LIMIT}`,
      "it is the number of events of each name in the batch",
    );
  }
  const [project] = context.config.projects;
  if (project === undefined) throw new RangeError("a configuration without projects");
  if (names.some((name) => !shownEvents.includes(name))) choices.get("webhook.events");
  choices.get("webhook.objects");
  return overrideEvents(makeEvents(names, count, project, choices.get("webhook.ids")), set.map(parseOverride));
}

interface Wanted {
  readonly app: App;
  readonly module: WebhookModule;
}

function chooseModules(context: SimulatorContext, apps: readonly InstalledApp[], names: readonly string[]) {
  const environment = environmentOf(context.config.organization);
  const wanted: Wanted[] = [];
  const restricted: string[] = [];
  const named = new Set<string>();
  for (const { app, manifest } of apps) {
    for (const module of manifest.webhooks) {
      const mismatch = webhookMismatch(module, names, environment);
      for (const event of module.events) named.add(event);
      if (mismatch === null) wanted.push({ app, module });
      else if (module.events.some((event) => names.includes(event)))
        restricted.push(`webhook ${module.key} ${mismatch}`);
    }
  }
  return { wanted, others: { named: [...named], restricted } };
}

function noModule(names: readonly string[], known: readonly string[]): { reason: string; hint: string } {
  return {
    reason: `no webhook module gets ${names.join(", ")}.${didYouMean(names[0] ?? "", known)}`,
    hint:
      known.length === 0
        ? "the manifest declares no webhook module"
        : `events that the manifest names: ${known.join(", ")}`,
  };
}

async function deliver(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: WebhookModule,
  all: readonly WebhookEvent[],
): Promise<Delivery> {
  const events = all.filter(({ event }) => module.events.includes(event));
  const url = joinUrl(app.url, module.url);
  const body = Buffer.from(JSON.stringify({ events }));
  const attempts: Delivery["attempts"] = [];
  const retries = choices.get("webhook.retries");
  for (let attempt = 0; attempt <= retries; attempt++) {
    if (attempt > 0) await context.clock.pause(1000 * 2 ** (attempt - 1), context.signal);
    attempts.push(await attemptDelivery(context, choices, app, module, url, body));
    if (attempts.at(-1)?.failure === null || context.signal?.aborted === true) break;
  }
  return {
    id: context.ids.next(),
    module: module.key,
    app: app.url,
    url,
    events: events.length,
    attempts,
    acknowledged: attempts.at(-1)?.failure === null,
  };
}

async function attemptDelivery(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: WebhookModule,
  url: string,
  body: Buffer,
): Promise<Delivery["attempts"][number]> {
  const called = await callApp(context, "webhook", module.key, {
    method: "POST",
    url,
    headers: deliveryHeaders(context, choices, app, module, body),
    body,
    timeoutMs: choices.get("webhook.timeout"),
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  });
  const { outcome, timings, id } = called.record;
  const facts = {
    outcome: outcome.kind,
    status: called.record.response?.status ?? null,
    ms: timings.totalMs,
    exchange: id,
  };
  if (!called.ok) return { ...facts, reason: called.reason, hint: called.hint, failure: called.failure };
  const { status } = called.answer;
  if (status >= 200 && status <= 299)
    return { ...facts, outcome: "acknowledged", reason: null, hint: null, failure: null };
  return { ...facts, outcome: "refused", ...explainStatus(called.answer), failure: "other" };
}

/** The header lines of interface 2.6, signed over the bytes that are sent. */
function deliveryHeaders(
  { config: { organization }, clock }: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: WebhookModule,
  body: Buffer,
): HeaderLines {
  const prefix = choices.get("wire.headerPrefix");
  return [
    ["User-Agent", choices.get("wire.userAgent")],
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
    [`${prefix}Id`, String(organization.id)],
    [`${prefix}Domain`, organization.domain],
    ["X-Module-Key", module.key],
    ...signatureHeaders(body, app.appSecret, Math.floor(clock.now() / 1000), choices),
  ];
}
