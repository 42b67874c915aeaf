import { z } from "zod";
import type { App } from "../config/schema.ts";
import { environmentOf, webhookMismatch } from "../platform/modules.ts";
import { makeEvents, overrideEvents, parseOverride } from "../platform/webhook-batch.ts";
import { type ChoiceReader, readChoices } from "../protocol/choices.ts";
import type { WebhookModule } from "../protocol/manifest.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { shownEvents, type WebhookEvent } from "../protocol/webhook.ts";
import type { SimulatorContext } from "./context.ts";
import { deliver } from "./deliver.ts";
import { type InstalledApp, loadManifests } from "./manifests.ts";
import type { Delivery, WebhookResult } from "./results.ts";

const COUNT_LIMIT = 100_000;

/** Names of the events of a delivery. */
export const webhookNamesSchema = z.strictObject({
  names: z.array(z.string().min(1)).min(1, "name an event, for example project.translated"),
});

/** Options of a delivery. */
export const webhookOptionsSchema = z.strictObject({
  count: z.number().int().min(1).max(COUNT_LIMIT).optional().describe("events of each name in the batch; default 1"),
  set: z.array(z.string()).readonly().optional().describe("path=value pairs, see overrideEvents"),
});
export type WebhookOptions = z.input<typeof webhookOptionsSchema>;

/** Delivers one signed batch to each webhook module that names one of the events (interface 6). */
export async function runWebhook(
  context: SimulatorContext,
  names: readonly string[],
  options: WebhookOptions,
): Promise<WebhookResult> {
  const choices = readChoices(context.choices);
  const events = eventsOf(context, names, options, choices);
  const installed = await loadManifests(context);
  const blank = { command: "webhook" as const, reason: null, hint: null, failure: null, deliveries: [], warnings: [] };
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    return {
      ...blank,
      outcome: "failed",
      reason,
      hint,
      failure,
      choices: choices.used(),
    };
  }
  const eventNames = [...new Set(events.map(({ event }) => event))];
  const { wanted, others } = chooseModules(context, installed.apps, eventNames);
  const unheard = eventNames.filter((name) => !wanted.some(({ module }) => module.events.includes(name)));
  const warnings = [
    ...installed.warnings,
    ...others.restricted,
    ...(wanted.length === 0 ? [] : unheard.map((name) => `no webhook module gets ${name}: it was not sent`)),
  ];
  if (wanted.length === 0) {
    return {
      ...blank,
      ...noModule(eventNames, others),
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
  const [project] = context.config.projects;
  if (project === undefined) throw new RangeError("a configuration without projects");
  if (names.some((name) => !shownEvents.includes(name))) choices.relyOn("webhook.events");
  choices.relyOn("webhook.objects");
  const events = overrideEvents(makeEvents(names, count, project, choices.get("webhook.ids")), set.map(parseOverride));
  if (events.every(({ event }) => event !== "")) return events;
  throw new UsageError(
    "event-unnamed",
    "--set event=: an event must have a name",
    "for example --set event=project.approved",
  );
}

interface Wanted {
  readonly app: App;
  readonly module: WebhookModule;
}

interface Others {
  /** Events that some module names. */
  readonly named: readonly string[];
  /** Modules that name one of the events, but not for this environment. */
  readonly restricted: readonly string[];
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

function noModule(names: readonly string[], { named, restricted }: Others): { reason: string; hint: string } {
  const nobody = `no webhook module gets ${names.join(", ")}`;
  if (restricted.length > 0) {
    const hint =
      "its environments leave this organization out; organization.edition (APP_SIM_EDITION) is enterprise or standard";
    return { reason: `${nobody}: ${restricted.join("; ")}`, hint };
  }
  const known =
    named.length === 0
      ? "the manifest declares no webhook module"
      : `events that the manifest names: ${named.join(", ")}`;
  return { reason: `${nobody}.${didYouMean(names[0] ?? "", named)}`, hint: known };
}
