import { type CallResult, callApp } from "../app-client/call-app.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import { encodeRequest } from "../checking/request-parts.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import { shellWord } from "../output/shell-word.ts";
import { withCircumstances } from "../platform/call-facts.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import { deliveryCall, deliveryRequest, type InstalledWebhook } from "../webhook-checks/delivery.ts";
import type { Diagnosis } from "./doctor-result.ts";
import { ownTargets } from "./explain-refusal.ts";

/** What two deliveries show; whether the app refused the right one as not authentic. */
export type TriedDelivery = Omit<Diagnosis, "check"> & {
  readonly isRefused: boolean;
};

/**
 * Whether the first webhook of the app accepts a signed delivery and refuses a forged one. Neither has any events, so
 * that the app has nothing to act on. Null: the app has no webhook.
 */
export async function tryDelivery(given: SimulatorContext): Promise<TriedDelivery | null> {
  const installed = await loadManifests(given);
  if (!installed.ok) return null;
  const [webhook] = installed.apps.flatMap((app) =>
    app.manifest.webhooks.map((module): InstalledWebhook => ({ installed: app, module })),
  );
  if (webhook === undefined) return null;
  const context = await ownTargets(given);
  if (context === null) return unknown(webhook, "not tried: the app is at a public address");
  const choices = readChoices(context.choices);
  const right = await deliver(context, choices, webhook, '{"events":[]}');
  if (!right.ok)
    return failed(`a signed delivery to webhook ${webhook.module.key} failed: ${right.reason}`, right.hint);
  const { status } = right.answer;
  if (status >= 200 && status < 300)
    return judgeForged(webhook, await deliver(context, choices, webhook, '{"events":[],"forged":true}'));
  const isRefused = status === 401 || status === 403;
  if (!isRefused && status !== 404 && status !== 405)
    return unknown(webhook, `webhook ${webhook.module.key} answered ${status} to a signed delivery without events`);
  const { header } = signatureScheme(choices);
  const { url } = right.record.request;
  const circumstances = { status, ownRequests: [] };
  const facts = await withCircumstances(
    context,
    webhook.installed.app,
    { by: "signature", header, url },
    circumstances,
  );
  const { reason, hint } = explainStatus(right.answer, facts);
  const message = `a signed delivery to webhook ${webhook.module.key} failed: ${reason}`;
  if (!isRefused) return failed(message, hint);
  const diagnose = `\`${command(webhook.module)} --diagnose\` finds out what it accepts instead`;
  return { ...failed(message, [hint, diagnose].filter((text) => text !== null).join(" ")), isRefused };
}

/** Sends a body with the signature of a delivery without events. */
function deliver(
  context: SimulatorContext,
  choices: ChoiceReader,
  webhook: InstalledWebhook,
  body: string,
): Promise<CallResult> {
  const { purpose, ...limits } = deliveryCall(choices);
  const request = { ...deliveryRequest(context, choices, webhook, []), tamper: () => Buffer.from(body) };
  return callApp(context, purpose, webhook.module.key, { ...encodeRequest(request), ...limits });
}

/** What the app did with a forged delivery, after it accepted a right one. */
function judgeForged({ module }: InstalledWebhook, forged: CallResult): TriedDelivery {
  const accepts = `webhook ${module.key} accepts a signed delivery`;
  const status = forged.ok ? forged.answer.status : null;
  if (status !== null && status >= 400 && status < 500)
    return { result: "passed", message: `${accepts}, and refuses a forged one`, hint: null, isRefused: false };
  const isAccepted = status !== null && status >= 200 && status < 300;
  const what = status === null ? "gave no answer" : `answered ${status}`;
  return {
    result: "warned",
    message: isAccepted ? `${accepts}, but a forged one as well` : `${accepts}, but ${what} to a forged one`,
    hint: isAccepted ? `does it check the signature? Try ${command(module)} --tamper all` : "answer it with 401",
    isRefused: false,
  };
}

function command({ events }: InstalledWebhook["module"]): string {
  return `app-sim webhook ${shellWord(events[0] ?? "EVENT")}`;
}

function failed(message: string, hint: string | null): TriedDelivery {
  return { result: "failed", message, hint, isRefused: false };
}

function unknown({ module }: InstalledWebhook, message: string): TriedDelivery {
  return { result: "skipped", message, hint: `try it with: ${command(module)} --tamper all`, isRefused: false };
}
