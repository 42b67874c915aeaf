import { callApp } from "../app-client/call-app.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { withCircumstances } from "../platform/call-facts.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { listenForRequests } from "../platform/own-requests.ts";
import type { Random } from "../platform/random.ts";
import { parseJson } from "../protocol/json.ts";
import { isHtml } from "../protocol/json-slip.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { mediaType } from "../protocol/media-type.ts";
import type { DeliveryRequest } from "./rules/delivery-request.ts";
import { isDisbelief, SAYS_NO } from "./rules/judge-deliveries.ts";
import { pauseBeforeRetry, type RetryPolicy, retryAfterMs } from "./rules/retry-policy.ts";
import { signatureScheme } from "./rules/signature.ts";
import type { AttemptOutcome, DeliveryAttempt } from "./webhook-result.ts";

/** One delivery on its way to a module. */
export interface Outgoing {
  /** The same for all attempts and duplicates. */
  readonly id: string;
  readonly app: App;
  /** Key of the module. */
  readonly module: string;
  readonly url: string;
  readonly chunked?: boolean;
  /** How many events its body has, if the caller could send fewer per body; default 1. */
  readonly events?: number;
  /** Attempts made earlier: a replay continues the count. */
  readonly attemptsBefore?: number;
  /** The request, signed at this time: seconds since the epoch. */
  readonly request: (now: number) => DeliveryRequest;
  /** The request sent immediately after a first attempt that the app did not believe. */
  readonly ifRefused?: (now: number) => DeliveryRequest;
}

/** How deliveries are made, apart from their content. */
export interface DeliveryPolicy {
  readonly retry: RetryPolicy;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** For the jitter of pauses. */
  readonly random: Random;
}

/** Tries until the app acknowledges or the policy allows no more attempts (interface 4.2, 6); returns all attempts. */
export async function deliver(
  context: SimulatorContext,
  policy: DeliveryPolicy,
  outgoing: Outgoing,
): Promise<DeliveryAttempt[]> {
  const attempts: DeliveryAttempt[] = [];
  const { attemptsBefore = 0, ifRefused } = outgoing;
  let tried = outgoing;
  for (;;) {
    const number = attemptsBefore + attempts.length + 1;
    const attempt = await attemptDelivery(context, policy.timeoutMs, tried, number);
    attempts.push(attempt);
    if (attempt.outcome === "acknowledged" || isAborted(context)) return attempts;
    if (ifRefused !== undefined && attempts.length === 1 && isDisbelief(attempt)) {
      tried = { ...outgoing, request: ifRefused };
      continue;
    }
    const asked = retryAfterMs(attempt.retryAfter ?? undefined, context.clock.now());
    const pause = pauseBeforeRetry(policy.retry, attempts.length - (tried === outgoing ? 0 : 1), asked, policy.random);
    if (pause === null) return attempts;
    context.onPause(pause);
    await context.clock.pause(pause, context.signal);
    // Otherwise an attempt that never began would be recorded.
    if (isAborted(context)) return attempts;
  }
}

function isAborted({ signal }: SimulatorContext): boolean {
  return signal?.aborted === true;
}

async function attemptDelivery(
  context: SimulatorContext,
  timeoutMs: number,
  { id, app, module, url, chunked = false, events = 1, request }: Outgoing,
  attempt: number,
): Promise<DeliveryAttempt> {
  const requests = listenForRequests(context, app);
  const { headers, body } = request(Math.floor(context.clock.now() / 1000));
  const called = await callApp(context, {
    purpose: "webhook",
    module,
    delivery: { id, attempt },
    method: "POST",
    url,
    headers,
    body,
    chunked,
    timeoutMs,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  }).finally(requests.end);
  const { outcome, timings, response, id: exchange } = called.record;
  const facts = {
    number: attempt,
    status: response?.status ?? null,
    ms: timings.totalMs,
    exchange,
    retryAfter: headerValue(response?.headers ?? [], "retry-after") ?? null,
  };
  if (!called.ok) {
    const { reason, failure } = called;
    const hint = outcome.kind === "timed-out" && outcome.phase !== "connect" ? TIMEOUT_HINT : called.hint;
    return { ...facts, outcome: outcome.kind as AttemptOutcome, reason, hint, failure };
  }
  const { answer } = called;
  const { header } = signatureScheme(readChoices(context.choices));
  const isTaken = answer.status === 500 && hasAcknowledged(context, (each) => each.delivery?.id === id);
  const sent = { by: "signature", header, url, ...(isTaken && ({ tookBefore: "delivery" } as const)) } as const;
  const circumstances = { status: answer.status, ownRequests: requests.end() };
  const judged = outcomeOfStatus(answer.status);
  if (judged === "acknowledged")
    return {
      ...facts,
      outcome: judged,
      reason: null,
      hint: saysNo(answer) ? SAYS_NO : pageHint(answer),
      failure: null,
    };
  const explained =
    answer.status === 404 && hasAcknowledged(context, ({ request }) => request.url === url)
      ? { reason: `the app answered ${answer.status}, although it acknowledged here before`, hint: NOT_FOUND_HINT }
      : explainStatus(answer, await withCircumstances(context, app, sent, circumstances));
  const hint =
    travelHint(headers, chunked, answer.status) ??
    (answer.status === 429 ? RETRY_HINT : (explained.hint ?? batchHint(answer.status, events)));
  return { ...facts, outcome: judged, reason: explained.reason, hint, failure: "other" };
}

/** How many earlier records are searched. */
const RECORDS_BEFORE = 1000;

/** Whether the app acknowledged a delivery to this module before. */
function hasAcknowledged({ journal }: SimulatorContext, isSuch: (exchange: Exchange) => boolean): boolean {
  return journal
    .list()
    .slice(-RECORDS_BEFORE)
    .some(
      (record) =>
        record.type === "exchange" &&
        record.purpose === "webhook" &&
        isSuch(record) &&
        outcomeOfStatus(record.response?.status ?? 0) === "acknowledged",
    );
}

const NOT_FOUND_HINT = "did it look up something that it does not know, or was it restarted in between?";
const TIMEOUT_HINT =
  "the choice webhook.timeout limits the whole call: store the delivery, acknowledge it, and work on it afterwards";
const RETRY_HINT =
  "the choice webhook.retries enables retries, and webhook.retryAfter=obeyed waits for as long as the app asks";

/** If the body was sent in an unusual way, that is the likeliest reason why an app rejects it. */
function travelHint(headers: DeliveryRequest["headers"], chunked: boolean, status: number): string | null {
  if (status === 404 || status === 405) return null;
  if (headerValue(headers, "content-encoding") === "gzip")
    return "the body was compressed with gzip: does the app decompress it, and verify the bytes that the choice webhook.signature.gzip names?";
  return chunked ? "the body was sent in chunks, without a Content-Length: does the app read it to the end?" : null;
}

/** Statuses of an app that read the body but cannot process it (RFC 9110, 15.5.1 and 15.5.21). */
const unfitting: readonly number[] = [400, 422];

/** An app written for one event per body may refuse several (interface 6); null: no sign of that. */
function batchHint(status: number, events: number): string | null {
  if (events < 2 || !unfitting.includes(status)) return null;
  return `this body has ${events} events: does the app handle every element of "events"? --batch 1 sends each in its own body`;
}

/** Any 2XX acknowledges (interface 4.2); a server error is not a refusal: nothing was decided. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  // The request was not conditional, so 304 makes no sense.
  if (status === 304) return "unexpected-status";
  return classes[Math.floor(status / 100)] ?? "unexpected-status";
}

/** By the first digit (RFC 9110, 15). */
const classes: Readonly<Record<number, AttemptOutcome>> = {
  2: "acknowledged",
  3: "redirected",
  4: "refused",
  5: "server-error",
};

/** Text that begins with a refusal. */
const REFUSAL = /^(?:invalid|unauthori[sz]ed|forbidden|denied|rejected|bad|wrong|not)\b/i;

/** Whether an answer refuses by its body alone: `{"ok": false}`, `{"error": "invalid signature"}`, `Invalid signature`. */
function saysNo({ body }: Answer): boolean {
  const json = parseJson(body);
  if (!json.ok) return REFUSAL.test(Buffer.from(body).toString());
  if (typeof json.value === "string") return REFUSAL.test(json.value);
  if (typeof json.value !== "object" || json.value === null) return false;
  const { ok, success, error } = json.value as Readonly<Record<string, unknown>>;
  return ok === false || success === false || (typeof error === "string" && error !== "");
}

/**
 * Any 2XX acknowledges, but a page for people is hardly what a webhook handler answers. Some frameworks, such as Flask,
 * call every text HTML.
 */
function pageHint({ headers, body }: Answer): string | null {
  const isCalledHtml = mediaType(headerValue(headers, "content-type")) === "text/html";
  return isCalledHtml && isHtml(Buffer.from(body).toString())
    ? "the app answered with an HTML page: is the module's url really the URL of its webhook handler?"
    : null;
}
