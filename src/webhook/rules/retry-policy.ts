import type { ChoiceReader } from "../../config/choices.ts";
import type { Random } from "../../platform/random.ts";

/** When a delivery that was not acknowledged is tried again (interface 6.4, not shown: the choices `webhook.*`). */
export interface RetryPolicy {
  readonly retries: number;
  /** Milliseconds before the second attempt; each later pause is twice as long. */
  readonly backoffMs: number;
  /** The share by which a pause may be longer or shorter. */
  readonly jitter: number;
  readonly obeysRetryAfter: boolean;
}

/** The platform does not wait for hours just because an app asks. */
const LONGEST_PAUSE_MS = 600_000;

export function retryPolicy(choices: ChoiceReader): RetryPolicy {
  const retries = choices.get("webhook.retries");
  // Without retries the result does not depend on pauses.
  const read = retries === 0 ? choices.peek : choices.get;
  return {
    retries,
    backoffMs: read("webhook.backoff"),
    jitter: read("webhook.jitter"),
    obeysRetryAfter: read("webhook.retryAfter") === "obeyed",
  };
}

/**
 * Milliseconds before the next attempt, or null if there is none.
 * @param made attempts so far
 * @param retryAfterMs what the app asked for, if it did
 */
export function pauseBeforeRetry(
  { retries, backoffMs, jitter, obeysRetryAfter }: RetryPolicy,
  made: number,
  retryAfterMs: number | null,
  random: Random,
): number | null {
  if (made > retries) return null;
  const share = 1 + jitter * (2 * random() - 1);
  const pause = backoffMs * 2 ** (made - 1) * share;
  const wanted = obeysRetryAfter && retryAfterMs !== null ? Math.max(pause, retryAfterMs) : pause;
  return Math.round(Math.min(wanted, LONGEST_PAUSE_MS));
}

/**
 * Milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds, or a date; null for anything else.
 * @param now milliseconds since the epoch
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const value = header.trim();
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const isDate = /^[A-Z][a-z]{2,8},? /.test(value);
  // One of the three date formats does not name GMT.
  const time = isDate ? Date.parse(`${value.replace(/ GMT$/, "")} GMT`) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
