import { gzipSync } from "node:zlib";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import { type Exchange, type HeaderLines, headerValue } from "../journal/exchange.ts";
import { seededRandom } from "../platform/random.ts";
import { parseJson } from "../protocol/json.ts";
import { valueAtPath, valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WebhookContext } from "./changeable.ts";
import { deliver } from "./deliver.ts";
import { findDelivery, withLastAttempt } from "./find-delivery.ts";
import { type RecordedDelivery, readDelivery, requireWholeBody, unpacked, unpackedBody } from "./recorded-delivery.ts";
import type { DeliveryRequest } from "./rules/delivery-request.ts";
import { judgeDeliveries, judgeDelivery, summarize } from "./rules/judge-deliveries.ts";
import { retryPolicy } from "./rules/retry-policy.ts";
import { signatureHeaders, signatureScheme } from "./rules/signature.ts";
import type { ReplayOptions } from "./webhook-options.ts";
import type { WebhookResult } from "./webhook-result.ts";

/** The name of the header with a signature; the timestamp header begins the same way. */
const signatureName = /^(.*)signature$/i;

/**
 * Sends an earlier delivery again (interface 6.4, not shown): the same bytes and header lines, or with a new signature.
 * @param delivery an exchange, or an id that {@link findDelivery} accepts, of one that the journal has in memory
 * @throws UsageError for anything that is not a delivery, went to no configured app, or was kept only in part
 */
export async function replay(
  context: WebhookContext,
  delivery: Exchange | string,
  { resign = false, body }: ReplayOptions,
): Promise<WebhookResult> {
  const exchange = exchangeOf(context, delivery);
  const recorded = readDelivery(context.config.apps, exchange);
  if (body === undefined) requireWholeBody(exchange);
  const choices = readChoices(context.choices);
  const isSigned = resign || body !== undefined;
  const { id, app, module, url, chunked, attempts: attemptsBefore, request: before } = recorded;
  const makeRequest = isSigned ? signedAnew(recorded, body ?? null, choices) : () => before;
  let bytes = before.body.length;
  const request = (now: number) => {
    const sent = context.hooks.apply("delivery", makeRequest(now));
    bytes = sent.body.length;
    return sent;
  };
  const seed = context.ids.seed();
  const policy = {
    retry: retryPolicy(choices),
    timeoutMs: choices.get("webhook.timeout"),
    random: seededRandom(seed),
  };
  // Every delivery is judged by its status.
  const attempts = await deliver(context, policy, { id, app, module, url, chunked, attemptsBefore, request });
  const what = { id, module, app: app.url, url, events: eventsIn(body ?? unpacked(recorded)), bytes };
  const how = { copy: 0, tampered: null, respelled: false, nonAscii: false };
  const replayed = {
    ...what,
    ...how,
    ...judgeDelivery({ tampered: null, nonAscii: false, dropped: false }, attempts),
    attempts,
  };
  return {
    command: "replay",
    ...judgeDeliveries([replayed], context.signal?.aborted === true),
    seed,
    deliveries: [replayed],
    summary: summarize([replayed]),
    diagnosis: [],
    warnings: isSigned ? [] : timestampWarnings(before.headers),
    choices: choices.used(),
  };
}

function exchangeOf({ journal }: WebhookContext, delivery: Exchange | string): Exchange {
  if (typeof delivery === "object") return withLastAttempt(journal.list(), delivery);
  const found = typeof delivery === "string" ? findDelivery(journal.list(), delivery) : null;
  if (found !== null) return found;
  throw new UsageError(
    "unknown-delivery",
    `replay(): the journal has no delivery ${valueText(delivery)}`,
    "give the id of an exchange or a delivery, the beginning of one, or last; sim.journal.list() has them",
  );
}

/** Makes the request with a new signature, or with another body; the rest stays as it was. */
function signedAnew(
  recorded: RecordedDelivery,
  otherBody: Uint8Array | null,
  choices: ChoiceReader,
): (now: number) => DeliveryRequest {
  const { id, app, gzip, request } = recorded;
  const scheme = signatureScheme(choices);
  const body = otherBody === null ? request.body : gzip ? gzipSync(otherBody) : otherBody;
  const signsPlain = gzip && choices.get("webhook.signature.gzip") === "uncompressed";
  const signed = signsPlain ? (otherBody ?? unpackedBody(recorded)) : body;
  const others = request.headers.filter(
    ([name]) => !isOfSignature(name, request.headers) && name.toLowerCase() !== scheme.idHeader,
  );
  return (now) => ({
    headers: [...others, ...signatureHeaders(scheme, app.appSecret, { body: signed, now, id })],
    body,
  });
}

function isOfSignature(name: string, headers: HeaderLines): boolean {
  return signatureName.test(name) || timestampNames(headers).includes(name.toLowerCase());
}

/** The name of the timestamp header that goes with a signature, if any; in lower case. */
function timestampNames(headers: HeaderLines): string[] {
  return headers.flatMap(([name]) => {
    const [, before] = signatureName.exec(name) ?? [];
    return before === undefined ? [] : [`${before}timestamp`.toLowerCase()];
  });
}

function timestampWarnings(headers: HeaderLines): string[] {
  const seconds = timestampNames(headers)
    .map((name) => headerValue(headers, name))
    .find((value) => value !== undefined);
  return seconds === undefined
    ? []
    : [`it was signed at ${seconds} s: an app may refuse such an old timestamp; --resign signs it again`];
}

function eventsIn(json: Uint8Array | null): number {
  const parsed = json === null ? null : parseJson(json);
  const events = parsed?.ok === true ? valueAtPath(parsed.value, "events") : null;
  return Array.isArray(events) ? events.length : 0;
}
