/** Why the platform called the app; `import-file`: a file that a job, or its answer, names (interface 2.3, 2.4). */
const callPurposes = [
  "manifest",
  "guard",
  "guard-page",
  "post-import",
  "import-file",
  "webhook",
  "install",
  "uninstall",
  "visit",
] as const;

/** What the app, or a user's browser, asked the platform to decide about (interface 4.1). */
const incomingPurposes = ["authorize", "consent", "token", "revoke", "introspect", "api"] as const;
export type IncomingPurpose = (typeof incomingPurposes)[number];

/** What the app fetched from the platform, which has nothing to decide about it (interface 2.3). */
const FETCH_PURPOSE = "file";

export const exchangePurposes = [...callPurposes, ...incomingPurposes, FETCH_PURPOSE] as const;
export type ExchangePurpose = (typeof exchangePurposes)[number];

/** Whether it was the platform that was asked: what it decided is a record of its own. */
export function isIncoming(purpose: ExchangePurpose): purpose is IncomingPurpose {
  return (incomingPurposes as readonly string[]).includes(purpose);
}

/**
 * A body as it travelled. `base64` holds its first bytes, up to the journal's cap; `size` counts all of
 * them, so `size` larger than what `base64` decodes to means that the rest was not kept.
 */
export interface RecordedBody {
  readonly base64: string;
  /** Bytes on the wire, before any content decoding. */
  readonly size: number;
}

/** Header lines in their order and spelling on the wire; a name may repeat. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The first value of a header, whatever the case of its name. */
export function headerValue(headers: HeaderLines, name: string): string | undefined {
  return headers.find(([line]) => line.toLowerCase() === name.toLowerCase())?.[1];
}

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: RecordedBody;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: RecordedBody;
}

/** Where a call was when its time ran out or it was cut off. */
export type CallPhase = "connect" | "headers" | "body";

/**
 * What came of a call. Only `answered` carries a whole answer; each other kind is one way in which an app
 * or the network failed, with what is needed to explain it.
 */
export type Outcome =
  | { readonly kind: "answered" }
  | {
      readonly kind: "unreachable";
      readonly code: string;
      readonly detail: string;
      /** Where on this machine the port does answer. */
      readonly elsewhere: string | null;
    }
  | { readonly kind: "tls-failed"; readonly code: string; readonly detail: string }
  | { readonly kind: "timed-out"; readonly phase: CallPhase; readonly limitMs: number }
  | { readonly kind: "disconnected"; readonly phase: CallPhase; readonly detail: string }
  | { readonly kind: "too-large"; readonly limit: number; readonly decoded: boolean }
  | { readonly kind: "not-http"; readonly detail: string }
  | { readonly kind: "undecodable"; readonly encoding: string; readonly detail: string }
  /** We ended it: what had come of the answer was reason enough. */
  | { readonly kind: "cut-off"; readonly detail: string }
  | { readonly kind: "interrupted" };

/** An outcome without a whole answer. */
export type FailedOutcome = Exclude<Outcome, { readonly kind: "answered" }>;

/** Which try at which delivery a call was (interface 6); a delivery keeps its id over attempts and duplicates. */
export interface RecordedAttempt {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
}

/** One HTTP request between the platform and the app, in either direction, and what came of it. */
export interface Exchange {
  readonly type: "exchange";
  readonly id: string;
  readonly purpose: ExchangePurpose;
  /** Key of the module that was called; null where it was no module. */
  readonly module: string | null;
  /** Of a webhook; missing in journals of before there was more than one. */
  readonly delivery?: RecordedAttempt;
  /** Wall-clock start, ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Milliseconds until the response headers (null when none came) and until the end. */
  readonly timings: { readonly headersMs: number | null; readonly totalMs: number };
  readonly request: RecordedRequest;
  /** The response as far as it came, also for outcomes other than `answered`; null before any headers. */
  readonly response: RecordedResponse | null;
  readonly outcome: Outcome;
}
