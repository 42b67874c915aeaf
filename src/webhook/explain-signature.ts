import { isUtf8 } from "node:buffer";
import { appSecretKey } from "../config/app-variables.ts";
import { readChoices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import { headerValue } from "../journal/exchange.ts";
import { secretFinder } from "../journal/secret-hider.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { manifestSource } from "../platform/manifests.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { slippedEvent, type WebhookEvent } from "../protocol/webhook.ts";
import { chooseModules } from "./choose-modules.ts";
import { eventNames, makeEvents } from "./make-events.ts";
import { planDeliveries, readDisturbances } from "./rules/delivery-plan.ts";
import { deliveryMaker } from "./rules/delivery-request.ts";
import { signedContent } from "./rules/signature.ts";
import { bodyLimits, makeBodies } from "./rules/webhook-bodies.ts";
import type { SignatureResult } from "./signature-result.ts";
import { verifiersFor } from "./verifiers.ts";
import type { WebhookOptions } from "./webhook-options.ts";

/** Placeholder for the key of a module if there is no manifest; it is not signed. */
const ANY_MODULE = "MODULE-KEY";

/**
 * How the first body that `webhook` would send with the same options and seed is signed (interface 2.6, 5.1). Nothing
 * is sent, and the app need not be running: its manifest is read only from a file.
 */
export async function explainSignature(
  context: SimulatorContext,
  eventsOrNone: string | readonly string[],
  options: WebhookOptions,
): Promise<SignatureResult> {
  const names = eventNames("explainSignature()", eventsOrNone, options);
  const { config, clock, ids } = context;
  const choices = readChoices(context.choices);
  const { seed = ids.seed(), batch, gzip = false } = options;
  const happened = await makeEvents(context, choices, { ...options, names, seed });
  const random = seededRandom(seed);
  const inOrder = options.shuffle === true ? shuffled(happened, random) : happened;
  const { app, module, events, warnings } = await addresseeOf(context, inOrder);

  const bodies = makeBodies(events, bodyLimits(choices, batch)).map((body, index) => ({ id: String(index), body }));
  const plan = planDeliveries(bodies, readDisturbances(options), random);
  const sent = plan.find(({ tampering, respelled, dropped }) => tampering === null && !respelled && !dropped);
  const first = (sent ?? plan[0])?.body;
  if (first === undefined) throw new RangeError("no events");
  refuseSecrets(config, first.json);
  const { organization } = config;
  const { scheme, make } = deliveryMaker({ organization, appSecret: app.appSecret, module, gzip }, choices);
  const { headers, body } = make(first.json, Math.floor(clock.now() / 1000), ids.next());

  const coding = gzip ? choices.get("webhook.signature.gzip") : null;
  const signedBody = coding === "uncompressed" ? first.json : body;
  const lineOf = (name: string | null | undefined) =>
    name == null ? null : { name, value: headerValue(headers, name) ?? "" };
  const [id, timestamp] = [lineOf(scheme.idHeader), lineOf(scheme.timestampHeader)];
  const before = [id, timestamp].flatMap((line) => line?.value ?? []);
  const signature = headerValue(headers, scheme.header) ?? "";
  const bytes = Buffer.from(body);
  const signed = [Buffer.from(before.map((text) => `${text}.`).join("")), signedBody];
  return {
    command: "webhook-signature",
    seed,
    body: { bytes: bytes.length, text: isUtf8(bytes) ? bytes.toString() : null, base64: bytes.toString("base64") },
    signed: {
      what: signedContent(bytes.length, before, coding),
      base64: Buffer.concat(signed).toString("base64"),
    },
    key: { ...appSecretKey(config.apps, app), characters: app.appSecret.length },
    algorithm: "HMAC-SHA256",
    digest: Buffer.from(signature.slice(scheme.prefix.length), scheme.encoding).toString("hex"),
    encoding: scheme.encoding,
    prefix: scheme.prefix,
    header: { name: scheme.header, value: signature },
    id,
    timestamp,
    headers: headers.map(([name, value]) => [name, value]),
    verifiers: await verifiersFor(scheme),
    warnings: [...warnings],
    choices: choices.used(),
  };
}

/** @throws UsageError if the bytes hold a secret, which is never shown (hardening S27) */
function refuseSecrets(config: Config, json: Uint8Array): void {
  if (!secretFinder(secretsOf(config))(Buffer.from(json).toString())) return;
  throw new UsageError(
    "body-holds-secret",
    "the body to explain holds one of the app's secrets, which are never shown",
    "explain another payload: it is signed the same way",
  );
}

/** The app, and the key of the module that the first delivery is for, if known. */
async function addresseeOf(context: SimulatorContext, events: readonly WebhookEvent[]) {
  const { apps } = context.config;
  const [app] = apps;
  if (app === undefined) throw new RangeError("a configuration without apps");
  const unknown = { app, module: ANY_MODULE, events };
  if (apps.some((one) => isHttpUrl(manifestSource(one)))) return { ...unknown, warnings: unshownEvents(events) };
  const chosen = await chooseModules(context, events);
  if (!chosen.ok) return { ...unknown, warnings: [...chosen.warnings, chosen.reason] };
  const [receiver] = chosen.receivers;
  if (receiver === undefined) throw new RangeError("no receiver");
  return { app: receiver.app, module: receiver.module.key, events: receiver.events, warnings: chosen.warnings };
}

/** A warning for each event that is a misspelling of one that the interface shows; apps may subscribe to others. */
function unshownEvents(events: readonly WebhookEvent[]): string[] {
  const names = [...new Set(events.map(({ event }) => event))];
  return names.flatMap((name) => {
    const meant = slippedEvent(name, names);
    return meant === undefined ? [] : [`${name} is not an event that the interface shows. Did you mean "${meant}"?`];
  });
}
