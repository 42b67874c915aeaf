import type { z } from "zod";
// Types only: code that writes a journal must not load the schema library.
import type { exchangeSchema } from "./exchange-schema.ts";

/** One HTTP request between the platform and the app, in either direction, and its outcome. */
export type Exchange = Readonly<z.infer<typeof exchangeSchema>>;

export type ExchangePurpose = Exchange["purpose"];
export type RecordedRequest = Exchange["request"];
export type RecordedResponse = NonNullable<Exchange["response"]>;

/**
 * A body as sent. `base64` holds its first bytes, up to the journal's limit; `size` counts all of them, so if `size` is
 * larger than what `base64` decodes to, the rest was not kept.
 */
export type RecordedBody = RecordedRequest["body"];

/** Header lines in their order and spelling on the wire; a name may occur more than once. */
export type HeaderLines = RecordedRequest["headers"];

/**
 * How a call ended. Only `answered` has a complete answer; each other kind is one way in which an app or the network
 * failed.
 */
export type Outcome = Exchange["outcome"];
export type FailedOutcome = Exclude<Outcome, { readonly kind: "answered" }>;

/** The phase of a call when it timed out or was cut off. */
export type CallPhase = Extract<Outcome, { readonly kind: "timed-out" }>["phase"];

/** When the stages of an exchange ended. */
export type Timings = Exchange["timings"];

/** The check of `verify` that sent an exchange. */
export type RecordedCheck = NonNullable<Exchange["check"]>;

/** Every value of a header, in order, regardless of the name's case. */
export function headerValues(headers: HeaderLines, name: string): string[] {
  return headers.flatMap(([line, value]) => (line.toLowerCase() === name.toLowerCase() ? [value] : []));
}

/** The first value of a header, regardless of the name's case. */
export function headerValue(headers: HeaderLines, name: string): string | undefined {
  return headers.find(([line]) => line.toLowerCase() === name.toLowerCase())?.[1];
}
