import path from "node:path";
import { runWithSimulator } from "../command-line/session.ts";
import { appSecretKey } from "../config/app-variables.ts";
import type { RunningSimulator, WebhookResult } from "../index.ts";
import type { Invocation } from "../output/invocation.ts";
import { withoutUndefined } from "../output/options.ts";
import type { ExchangeLines } from "../output/text.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { readData } from "./read-data.ts";
import { refusedSignatureLines } from "./signature-text.ts";
import type { EventFlags, WebhookFlags } from "./webhook-flags.ts";
import type { WebhookOptions } from "./webhook-options.ts";
import { webhookText } from "./webhook-text.ts";

/** `app-sim webhook EVENT…` */
export async function webhook(
  invocation: Invocation,
  events: readonly string[],
  { explain, ...flags }: WebhookFlags,
): Promise<number> {
  const options = await webhookOptions(invocation, flags);
  if (explain !== undefined) {
    const { explainSignature } = await import("./explain-command.ts");
    // How it is signed is the same for all of them.
    const names = events.length === 0 && flags.data === undefined ? ["project.translated"] : events;
    return explainSignature(invocation, names, options, explain === true ? null : explain);
  }
  if (events.length === 0 && flags.data === undefined) {
    throw new UsageError(
      "event-missing",
      "no event is named",
      "for example app-sim webhook project.translated; `app-sim manifest` shows the events of the app's webhooks",
    );
  }
  return runWithSimulator(
    invocation,
    (simulator) => simulator.webhook(events, options),
    (result, exchanges, simulator) =>
      webhookText(result, exchanges, invocation.paint, refusedSignatures(simulator, result)),
  );
}

/** How a refused delivery was signed, in short. */
export function refusedSignatures(
  { journal, config: { apps }, choices }: RunningSimulator,
  { deliveries }: WebhookResult,
): ExchangeLines {
  return (id) => {
    const exchange = journal.find(id);
    const delivery = deliveries.find(({ attempts }) => attempts.some((attempt) => attempt.exchange === id));
    const app = apps.find(({ url }) => url === delivery?.app);
    if (exchange?.type !== "exchange" || app === undefined) return [];
    return refusedSignatureLines(exchange, appSecretKey(apps, app), choices);
  };
}

async function webhookOptions(invocation: Invocation, flags: Omit<WebhookFlags, "explain">): Promise<WebhookOptions> {
  const { duplicate, shuffle, delay, drop, tamper, gzip, chunked } = flags;
  return {
    ...(await eventOptions(invocation, flags)),
    ...withoutUndefined<WebhookOptions>({ duplicate, shuffle, delay, drop, tamper, gzip, chunked }),
  };
}

/** What the flags say of the bodies; payloads of events are looked for where the command runs. */
export async function eventOptions(
  invocation: Invocation,
  { count, batch, set, data, seed }: EventFlags,
): Promise<Pick<WebhookOptions, "count" | "batch" | "set" | "data" | "seed" | "fixtures">> {
  const payload = data === undefined ? undefined : await readData(invocation, data);
  const fixtures = path.resolve(invocation.cwd, "fixtures/events");
  return { ...withoutUndefined<WebhookOptions>({ count, batch, set, data: payload, seed }), fixtures };
}
