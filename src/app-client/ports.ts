import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { FailedOutcome, HeaderLines, Timings } from "../journal/exchange.ts";

export interface Clock {
  /** Milliseconds since the epoch: for tokens, records and expiry times. Tests and users can change it. */
  now(): number;
  /** Monotonic milliseconds: for measurements and deadlines (hardening R28). */
  monotonic(): number;
  /** Resolves after this many milliseconds of real time, or as soon as the signal is aborted. */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Resolves once `now()` has reached this time, or as soon as the signal is aborted. For expiry times; deadlines use
   * `pause`.
   */
  until(time: number, signal: AbortSignal | undefined): Promise<void>;
}

/** With a longer delay, Node fires a timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Ids {
  /** Eight letters and digits, unguessable enough to be unique in a journal that several processes write. */
  next(): string;
  /** 256 random bits, base64url. */
  secret(): string;
  /** A seed for random numbers: a whole number from 0 to below 2^31. */
  seed(): number;
}

/** Waits until this has settled, but for at most this many milliseconds of real time. Rejects if it does. */
export async function atMost({ pause }: Clock, milliseconds: number, action: Promise<unknown>): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([action, pause(milliseconds, isOver.signal)]).finally(() => isOver.abort());
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Comparable between the processes of this machine. `performance` takes long to load.
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  pause: (milliseconds, signal) =>
    setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  async until(time, signal) {
    while (systemClock.now() < time && signal?.aborted !== true) {
      await systemClock.pause(Math.min(time - systemClock.now(), LONGEST_TIMER_MS), signal);
    }
  },
};

// Without letters and digits that are easily confused.
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";

export const randomIds: Ids = {
  next: () => Array.from(randomBytes(8), (byte) => alphabet[byte % alphabet.length]).join(""),
  secret: () => randomBytes(32).toString("base64url"),
  seed: () => randomInt(2 ** 31),
};

/** Deliberate pauses in a call: before it connects, once it is connected, and before the last byte of its body. */
export interface CallPauses {
  beforeConnect(): Promise<void>;
  /** Called when the call is connected, or cannot be. */
  connectEnded(): void;
  beforeHead(): Promise<void>;
  beforeLastByte(): Promise<void>;
}

/** How to authenticate a server that no certificate authority of this machine vouches for. */
export interface ServerTrust {
  /** The certificates that are trusted (PEM), and no others. */
  readonly ca: string;
  /**
   * SHA-256 of the certificate that the server must have, as Node formats it; null: any for the name that is called.
   */
  readonly fingerprint: string | null;
}

export interface AppCall {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  readonly headers: HeaderLines;
  /** The exact bytes to send. */
  readonly body: Uint8Array;
  /** Sends the body in chunks (RFC 9112, 7.1), without its length. */
  readonly chunked?: boolean;
  /** Deliberate pauses. Not for chunked bodies, nor for those of less than two bytes. */
  readonly pauses?: CallPauses | undefined;
  /** For the whole call, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer body, in bytes, before and after decoding. */
  readonly sizeLimit: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Receives the decoded body of a 2xx answer chunk by chunk, of any size; the answer's `body` is then empty. Its
   * promise is awaited before more is read; StopReading ends the call. For other statuses `body` has the first 256 KiB.
   */
  readonly take?: (chunk: Buffer) => void | Promise<void>;
  /** Why this IP address must not be connected to; null if it may be (hardening S21). Default: all may be. */
  readonly mayConnectTo?: (address: string) => string | null;
}

/** What `take` throws to end the call with the outcome `cut-off`; the message, one line, says why. */
export class StopReading extends Error {
  override readonly name = "StopReading";
}

/** A response, perhaps incomplete; `raw` is the first 256 KiB of the body, `size` counts the bytes received. */
export interface AppResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly raw: Buffer;
  readonly size: number;
}

/** The result of a call; `body` is the decoded body of a complete answer, empty if `take` received it. */
export type AppAnswer = {
  /** Header lines as sent, including those that HTTP itself adds. */
  readonly sentHeaders: HeaderLines;
  readonly timings: Readonly<Timings>;
  /** Earlier tries that decided nothing: the app asked to repeat the request later, or was not reached in time; default none. */
  readonly postponed?: readonly AppAnswer[];
} & (
  | { readonly ok: true; readonly response: AppResponse; readonly body: Buffer }
  | { readonly ok: false; readonly outcome: FailedOutcome; readonly response: AppResponse | null }
);

export interface AppGateway {
  call(call: AppCall): Promise<AppAnswer>;
}
