import { type CallResult, callApp } from "../app-client/call-app.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import { encodeRequest, type RequestParts } from "../checking/request-parts.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import { withCircumstances } from "../platform/call-facts.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";
import { deliveryCall, deliveryRequest, type InstalledWebhook } from "../webhook-checks/delivery.ts";
import {
  judgeForged,
  judgeReformatted,
  judgeRefused,
  type TriedDelivery,
  undelivered,
  untried,
} from "./rules/judge-delivery.ts";
import { ownTargets } from "./wrong-calls.ts";

/**
 * Whether the first webhook of the app accepts a signed delivery and refuses a forged one. Neither has events, so the
 * app has nothing to act on. Null: the app has no webhook.
 */
export async function tryDelivery(given: SimulatorContext): Promise<TriedDelivery | null> {
  const installed = await loadManifests(given);
  if (!installed.ok) return null;
  const [webhook] = installed.apps.flatMap((app) =>
    app.manifest.webhooks.map((module): InstalledWebhook => ({ installed: app, module })),
  );
  if (webhook === undefined) return null;
  const context = await ownTargets(given);
  if (context === null) return untried(webhook.module, "not tried: the app is at a public address");
  const choices = readChoices(context.choices);
  const right = await deliver(context, choices, webhook, '{"events":[]}');
  const { module } = webhook;
  if (!right.ok) return undelivered(module, right);
  const { status } = right.answer;
  if (status >= 200 && status < 300) {
    const tried = judgeForged(module, await deliver(context, choices, webhook, '{"events":[],"forged":true}'));
    if (tried.result !== "passed") return tried;
    const reformatted = { ...deliveryRequest(context, choices, webhook, []), body: { bytes: REFORMATTED } };
    return judgeReformatted(module, tried, await send(context, choices, webhook, reformatted));
  }
  const { header } = signatureScheme(choices);
  const { url } = right.record.request;
  const circumstances = { status, ownRequests: [] };
  const facts = await withCircumstances(
    context,
    webhook.installed.app,
    { by: "signature", header, url },
    circumstances,
  );
  return judgeRefused(module, status, explainStatus(right.answer, facts));
}

/** No events, in another spelling than that of JSON.stringify. */
const REFORMATTED = Buffer.from('{ "events": [] }');

/** Sends a body with the signature of a delivery without events. */
function deliver(
  context: SimulatorContext,
  choices: ChoiceReader,
  webhook: InstalledWebhook,
  body: string,
): Promise<CallResult> {
  const request = { ...deliveryRequest(context, choices, webhook, []), tamper: () => Buffer.from(body) };
  return send(context, choices, webhook, request);
}

function send(
  context: SimulatorContext,
  choices: ChoiceReader,
  webhook: InstalledWebhook,
  request: RequestParts,
): Promise<CallResult> {
  const { purpose, ...limits } = deliveryCall(choices);
  return callApp(context, { purpose, module: webhook.module.key, ...encodeRequest(request), ...limits });
}
