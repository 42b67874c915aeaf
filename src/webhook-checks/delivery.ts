import { createSecretKey } from "node:crypto";
import type { RequestParts } from "../checking/request-parts.ts";
import type { Subject } from "../checking/subject.ts";
import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { WebhookModule } from "../platform/manifest.ts";
import type { InstalledApp } from "../platform/manifests.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { joinUrl } from "../protocol/url.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { unsignedHeaders } from "../webhook/rules/delivery-request.ts";
import { signatureScheme } from "../webhook/rules/signature.ts";

/** The webhook module of an installed app. */
export interface InstalledWebhook {
  readonly installed: InstalledApp;
  readonly module: WebhookModule;
}

/** How every delivery is recorded, and its limits. */
export function deliveryCall(choices: ChoiceReader): Subject["call"] {
  return { purpose: "webhook", timeoutMs: choices.get("webhook.timeout"), sizeLimit: SMALL_ANSWER_LIMIT_BYTES };
}

/** A correct delivery of these events (interface 2.6, 5.1). */
export function deliveryRequest(
  { clock, config: { organization }, ids }: SimulatorContext,
  choices: ChoiceReader,
  { installed: { app }, module }: InstalledWebhook,
  events: readonly WebhookEvent[],
): RequestParts {
  const id = ids.next();
  return {
    method: "POST",
    url: joinUrl(app.url, module.url),
    headers: unsignedHeaders({ organization, module: module.key }, choices)(id),
    body: { json: { events } },
    token: null,
    tokenIn: { scheme: "Bearer" },
    signature: {
      scheme: signatureScheme(choices),
      key: createSecretKey(app.appSecret, "utf8"),
      now: Math.floor(clock.now() / 1000),
      id,
    },
  };
}
