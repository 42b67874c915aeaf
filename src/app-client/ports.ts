import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { FailedOutcome, HeaderLines } from "../journal/exchange.ts";

/** Time, as the platform sees it. */
export interface Clock {
  /** Milliseconds since the epoch: what is written into tokens and records, and what expires. It can be turned. */
  now(): number;
  /** Monotonic milliseconds: what is measured, and what deadlines are made of (hardening R28). */
  monotonic(): number;
  /** Resolves after so many milliseconds of real time, or as soon as the signal is aborted. */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Resolves once `now()` has reached this time, at once where it has already, or as soon as the signal is aborted.
   * What expires is waited for so; a deadline is a pause.
   */
  until(time: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Node ends a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Names for what is recorded. */
export interface Ids {
  /** Eight letters and digits, unguessable enough to be unique in a journal that several processes write. */
  next(): string;
  /** What nobody can guess: 256 random bits, base64url. */
  secret(): string;
  /** A seed for what happens by chance: a whole number from 0 to below 2^31. */
  seed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  pause: (milliseconds, signal) =>
    setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  async until(time, signal) {
    while (systemClock.now() < time && signal?.aborted !== true) {
      await systemClock.pause(Math.min(time - systemClock.now(), LONGEST_TIMER_MS), signal);
    }
  },
};

// Without letters and digits that are mistaken for one another when read aloud or copied.
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";

export const randomIds: Ids = {
  next: () => Array.from(randomBytes(8), (byte) => alphabet[byte % alphabet.length]).join(""),
  secret: () => randomBytes(32).toString("base64url"),
  seed: () => randomInt(2 ** 31),
};

/** One call to be made to the app. */
export interface AppCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: HeaderLines;
  /** The exact bytes to send. */
  readonly body: Uint8Array;
  /** Sends the body in chunks (RFC 9112, 7.1), and its length not at all. */
  readonly chunked?: boolean;
  /** For the whole call, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer body, in bytes, before and after decoding. */
  readonly sizeLimit: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Is given the decoded body of a 2xx as it comes, in place of `body` of the answer, however large it is. A promise is
   * waited for before more is read; StopReading ends the call. Of another status `body` has the first 256 KiB.
   */
  readonly take?: (chunk: Buffer) => void | Promise<void>;
  /** Why a connection may not be made to this IP address; null where it may (hardening S21). All may, if not given. */
  readonly mayConnectTo?: (address: string) => string | null;
}

/** What `take` throws to end the call with the outcome `cut-off`; the message, one line, says why. */
export class StopReading extends Error {
  override readonly name = "StopReading";
}

/** A response as far as it came; `raw` is the first 256 KiB of the body, `size` counts the bytes that arrived. */
export interface AppResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly raw: Buffer;
  readonly size: number;
}

/** What came of a call; `body` is the decoded body of a whole answer, empty where `take` was given it. */
export type AppAnswer = {
  /** Header lines as sent, with those that HTTP itself adds. */
  readonly sentHeaders: HeaderLines;
  /** Milliseconds until the response headers, and in all. */
  readonly timings: { readonly headersMs: number | null; readonly totalMs: number };
} & (
  | { readonly ok: true; readonly response: AppResponse; readonly body: Buffer }
  | { readonly ok: false; readonly outcome: FailedOutcome; readonly response: AppResponse | null }
);

export interface AppGateway {
  call(call: AppCall): Promise<AppAnswer>;
}
