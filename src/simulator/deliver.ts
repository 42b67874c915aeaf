import { type Answer, explainStatus } from "../checks/read-answer.ts";
import type { App } from "../config/schema.ts";
import { type HeaderLines, headerValue } from "../journal/exchange.ts";
import { signatureHeaders } from "../platform/signature.ts";
import type { ChoiceReader } from "../protocol/choices.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import type { WebhookModule } from "../protocol/manifest.ts";
import { joinUrl } from "../protocol/url.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { callApp, type SimulatorContext } from "./context.ts";
import type { Delivery } from "./results.ts";

/** Delivers those of the events that the module names, in one signed batch (interface 2.6, 6). */
export async function deliver(
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
    if (attempt > 0) await pauseBefore(attempt, context);
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

async function pauseBefore(attempt: number, { clock, onPause, signal }: SimulatorContext): Promise<void> {
  const milliseconds = 1000 * 2 ** (attempt - 1);
  onPause(milliseconds);
  await clock.pause(milliseconds, signal);
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
  if (status >= 200 && status <= 299) {
    return { ...facts, outcome: "acknowledged", reason: null, hint: pageHint(called.answer), failure: null };
  }
  return { ...facts, outcome: "refused", ...explainStatus(called.answer, "signature"), failure: "other" };
}

/** Any 2XX acknowledges, but a page for people is hardly what a webhook handler answers. */
function pageHint({ headers }: Answer): string | null {
  const isPage = /^text\/html/i.test(headerValue(headers, "content-type") ?? "");
  return isPage ? "the app answered with an HTML page: is the module's url really that of its webhook handler?" : null;
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
