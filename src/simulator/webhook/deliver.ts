import { type Answer, explainStatus } from "../../checks/read-answer.ts";
import { headerValue } from "../../journal/exchange.ts";
import type { DeliveryRequest } from "../../platform/delivery-request.ts";
import type { Random } from "../../platform/random.ts";
import { pauseBeforeRetry, type RetryPolicy, retryAfterMs } from "../../platform/retry-policy.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../../protocol/limits.ts";
import { mediaType } from "../../protocol/media-type.ts";
import { callApp, type SimulatorContext } from "../context.ts";
import type { AttemptOutcome, DeliveryAttempt } from "./webhook-result.ts";

/** One delivery on its way to a module. */
export interface Outgoing {
  /** The same over attempts and duplicates. */
  readonly id: string;
  /** Key of the module. */
  readonly module: string;
  readonly url: string;
  readonly chunked?: boolean;
  /** Attempts of it that were made earlier: a replay goes on counting. */
  readonly attemptsBefore?: number;
  /** What is sent, signed at this time: seconds since the epoch. */
  readonly request: (now: number) => DeliveryRequest;
}

/** How deliveries are made, beside what is in them. */
export interface DeliveryPolicy {
  readonly retry: RetryPolicy;
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** For the jitter of pauses. */
  readonly random: Random;
}

/** Tries until the app acknowledges, or the policy has no further attempt (interface 4.2, 6); all attempts. */
export async function deliver(
  context: SimulatorContext,
  policy: DeliveryPolicy,
  outgoing: Outgoing,
): Promise<DeliveryAttempt[]> {
  const attempts: DeliveryAttempt[] = [];
  for (;;) {
    const number = (outgoing.attemptsBefore ?? 0) + attempts.length + 1;
    const attempt = await attemptDelivery(context, policy.timeoutMs, outgoing, number);
    attempts.push(attempt);
    if (attempt.outcome === "acknowledged" || context.signal?.aborted === true) return attempts;
    const asked = retryAfterMs(attempt.retryAfter ?? undefined, context.clock.now());
    const pause = pauseBeforeRetry(policy.retry, attempts.length, asked, policy.random);
    if (pause === null) return attempts;
    context.onPause(pause);
    await context.clock.pause(pause, context.signal);
  }
}

async function attemptDelivery(
  context: SimulatorContext,
  timeoutMs: number,
  { id, module, url, chunked = false, request }: Outgoing,
  attempt: number,
): Promise<DeliveryAttempt> {
  const { headers, body } = request(Math.floor(context.clock.now() / 1000));
  const called = await callApp(
    context,
    "webhook",
    module,
    { method: "POST", url, headers, body, chunked, timeoutMs, sizeLimit: SMALL_ANSWER_LIMIT_BYTES },
    { id, attempt },
  );
  const { outcome, timings, response, id: exchange } = called.record;
  const facts = {
    status: response?.status ?? null,
    ms: timings.totalMs,
    exchange,
    retryAfter: headerValue(response?.headers ?? [], "retry-after") ?? null,
  };
  if (!called.ok) {
    const { reason, hint, failure } = called;
    return { ...facts, outcome: outcome.kind as AttemptOutcome, reason, hint, failure };
  }
  const { answer } = called;
  const judged = outcomeOfStatus(answer.status);
  if (judged === "acknowledged")
    return { ...facts, outcome: judged, reason: null, hint: pageHint(answer), failure: null };
  return { ...facts, outcome: judged, ...explainStatus(answer, "signature"), failure: "other" };
}

/** Any 2XX acknowledges (interface 4.2); a server error is no refusal: nothing was decided. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status <= 299) return "acknowledged";
  if (status >= 300 && status <= 399 && status !== 304) return "redirected";
  return status >= 500 && status <= 599 ? "server-error" : "refused";
}

/** Any 2XX acknowledges, but a page for people is hardly what a webhook handler answers. */
function pageHint({ headers }: Answer): string | null {
  const isPage = mediaType(headerValue(headers, "content-type")) === "text/html";
  return isPage ? "the app answered with an HTML page: is the module's url really that of its webhook handler?" : null;
}
