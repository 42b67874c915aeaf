import { z } from "zod";
import { exchangePurposes } from "./purposes.ts";

const bodySchema = z.object({
  /** The bytes. */
  base64: z.string(),
  /** Bytes on the wire, before any content decoding. */
  size: z.number(),
});
const headersSchema = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();
const requestSchema = z.object({
  /** Such as `POST`. */
  method: z.string(),
  /** Full address. */
  url: z.string(),
  headers: headersSchema,
  body: bodySchema,
});
const responseSchema = z.object({ status: z.number(), headers: headersSchema, body: bodySchema });

const phase = z.enum(["connect", "headers", "body"]).describe("what it was waiting for");
const detail = z.string().describe("what the system or the library says");
const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({
    /** A whole answer came, whatever its status. */
    kind: z.literal("answered"),
  }),
  z.object({
    /** Nothing listens there, or there is no such host. */
    kind: z.literal("unreachable"),
    /** Of the system, such as `ECONNREFUSED`. */
    code: z.string(),
    detail,
    /** Where on this machine the port does answer. */
    elsewhere: z.string().nullable(),
  }),
  z.object({
    /** There is a connection, but no TLS on it. */
    kind: z.literal("tls-failed"),
    /** Of the TLS library, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
    code: z.string(),
    detail,
  }),
  z.object({
    /** The whole call took too long. */
    kind: z.literal("timed-out"),
    phase,
    /** Milliseconds that it had. */
    limitMs: z.number(),
  }),
  z.object({
    /** The connection ended before the answer did. */
    kind: z.literal("disconnected"),
    phase,
    detail,
  }),
  z.object({
    /** The answer is longer than app-sim reads. */
    kind: z.literal("too-large"),
    /** Bytes that it reads. */
    limit: z.number(),
    /** Whether it became so large by decompression. */
    decoded: z.boolean(),
  }),
  z.object({
    /** What came is no HTTP. */
    kind: z.literal("not-http"),
    detail,
  }),
  z.object({
    /** The body is not encoded as its header says. */
    kind: z.literal("undecodable"),
    /** `Content-Encoding` of the answer. */
    encoding: z.string(),
    detail,
  }),
  z.object({
    /** The platform ended it: the beginning of the answer was reason enough. */
    kind: z.literal("cut-off"),
    detail,
  }),
  z.object({
    /** The user ended it. */
    kind: z.literal("interrupted"),
  }),
]);

export const exchangeSchema = z.object({
  /** Tells records apart. */
  type: z.literal("exchange"),
  /** Unique in the journal. */
  id: z.string(),
  /** What it was for: a call of the platform, or a request to it. */
  purpose: z.enum(exchangePurposes),
  /** Key of the module that was called; null if it was not a module. */
  module: z.string().nullable(),
  /** Which attempt at which delivery of a webhook it was (interface 6); missing in the journals of the first version. */
  delivery: z
    .object({
      /** The same for all attempts at a delivery, and for its duplicates. */
      id: z.string(),
      /** From 1. */
      attempt: z.int(),
    })
    .exactOptional(),
  /** What `verify` sent it for. */
  check: z
    .object({
      /** Id of the verification, whose record follows its exchanges; missing in the journals of earlier versions. */
      verification: z.string().exactOptional(),
      /** From 1; higher where checks are repeated. */
      run: z.int(),
      /** What is verified, such as `guard.first:network`. */
      subject: z.string(),
      /** Id of the check; null for a request that belongs to no check alone. */
      id: z.string().nullable(),
      /** `control`: the right request; `step`: what comes before one; `twin`, or what the check calls it. */
      role: z.string(),
      /** The body that was signed, where the one that was sent is another. */
      signed: z.string().exactOptional(),
    })
    .exactOptional(),
  /** The app asked for the request a moment later, and got it again: this answer decided nothing. */
  postponed: z.literal(true).exactOptional(),
  /** Wall-clock start, ISO 8601 in UTC. */
  startedAt: z.string(),
  /** Milliseconds from the start. */
  timings: z.object({
    /** Until the TCP connection; missing without one, for requests of the app, and in the journals of earlier versions. */
    connectMs: z.number().exactOptional(),
    /** Until the end of the TLS handshake; missing without one. */
    tlsMs: z.number().exactOptional(),
    /** Until the response headers; null without any. */
    headersMs: z.number().nullable(),
    /** Until the end of the answer, or of the attempt. */
    totalMs: z.number(),
  }),
  /** What was sent. */
  request: requestSchema,
  /** What was received of the response, also for outcomes other than `answered`; null before any headers. */
  response: responseSchema.nullable(),
  /** How it ended. */
  outcome: outcomeSchema,
});

const userSchema = z.object({ id: z.number(), role: z.string() });
const texts = z.array(z.string()).readonly();

export const loginRecordSchema = z.object({
  type: z.literal("login"),
  /** Unique in the journal. */
  id: z.string(),
  /** When the login ended, ISO 8601 in UTC. */
  at: z.string(),
  /** Who logged in. */
  user: userSchema,
  /** How it ended: `failed` where no guard decided it. */
  outcome: z.enum(["granted", "denied", "failed", "needs-user"]),
  /** Key of the guard, or the stage, that denied it; null: none did. */
  deniedBy: z.string().nullable(),
  /** Why it ended so, in words. */
  reason: z.string().nullable(),
  /** Ids of the exchanges that the login made, in order. */
  exchanges: texts,
});

const oauthStep = z.enum([
  "authorize",
  "consent",
  "exchange",
  "refresh",
  "installation",
  "agent",
  "call-code",
  "token",
  "revoke",
  "introspect",
  "api",
]);

export const oauthRecordSchema = z.object({
  type: z.literal("oauth"),
  /** Unique in the journal. */
  id: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  /** What the platform decided about. */
  step: oauthStep,
  /** Client id; null if unknown. */
  client: z.string().nullable(),
  /** In whose name; null if unknown. */
  user: userSchema.nullable(),
  /** `asked`: the user has not decided yet. */
  outcome: z.enum(["ok", "asked", "refused"]),
  /** The code in the answer to the app, such as invalid_grant, or an HTTP status. */
  error: z.string().nullable(),
  /** Why it was refused, in words. */
  reason: z.string().nullable(),
  /** What to try, if the answer to the app does not say it. */
  hint: z.string().nullable(),
  /** What is odd about it, though it was not refused. */
  warnings: texts,
  /** Id of the exchange. */
  exchange: z.string(),
});

/** A row of a table of the interface. */
export const coverageRowSchema = z.strictObject({
  /** Of the interface, such as `3.1`. */
  section: z.string(),
  /** The row in words. */
  row: z.string(),
  /** Whether a check made the app take it. */
  result: z.enum(["exercised", "not-exercised"]),
  /** Ids of the checks that judged it. */
  checks: z.array(z.string()),
  /** Why it was not exercised. */
  reason: z.string().nullable(),
});

export const verificationRecordSchema = z.object({
  type: z.literal("verification"),
  /** Unique in the journal. */
  id: z.string(),
  /** When it ended, ISO 8601 in UTC. */
  at: z.string(),
  /** How the run ended. */
  outcome: z.enum(["passed", "failed", "inconclusive"]),
  /** Why it ended so, in words. */
  reason: z.string().nullable(),
  /** Of all that was random. */
  seed: z.int(),
  /** Address of the platform, without a trailing slash. */
  platform: z.string(),
  /** How each check ended; ids name exchanges. */
  checks: z.array(
    z.object({
      id: z.string(),
      module: z.string().nullable(),
      subject: z.string(),
      result: z.enum(["pass", "warn", "fail", "skip", "inconclusive"]),
      reason: z.string().nullable(),
      hint: z.string().nullable(),
      control: z.string().nullable(),
      twin: z.string().nullable(),
      exchanges: texts,
    }),
  ),
  /** Rows of the tables of the interface. */
  coverage: z.array(coverageRowSchema),
});

export const foreignRecordSchema = z.object({
  type: z.literal("foreign"),
  /** Unique in the journal. */
  id: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  /** Requests that pages of other sites made, and that this platform refused, so far. */
  count: z.int(),
  /** Of the latest of them. */
  method: z.string(),
  /** Without its query, at most 200 characters. */
  path: z.string(),
  /** Of its page; null if the browser did not say. */
  origin: z.string().nullable(),
});

/** Milliseconds. */
const percentiles = { p50: z.number(), p95: z.number(), p99: z.number(), max: z.number() };

export const loadRecordSchema = z.object({
  type: z.literal("load"),
  /** Unique in the journal. */
  id: z.string(),
  /** When it ended, ISO 8601 in UTC. */
  at: z.string(),
  /** Whether the load was as expected. */
  outcome: z.enum(["ok", "failed"]),
  /** Why it failed, in words. */
  reason: z.string().nullable(),
  /** Deliveries that were sent. */
  sent: z.int(),
  /** Sent, and not acknowledged. */
  failed: z.int(),
  /** Due, and never sent. */
  notSent: z.int(),
  /** How long it was sent. */
  seconds: z.number(),
  /** Deliveries a second. */
  rate: z.number(),
  /** From when a delivery was due until its answer; null: nothing was answered. */
  latency: z.object(percentiles).nullable(),
  /** The same over the time of the load, by when deliveries were due. */
  curve: z
    .array(
      z.object({
        /** From the start of the load, in milliseconds. */
        fromMs: z.number(),
        /** Deliveries that were due in this time. */
        count: z.int(),
        /** Of which so many failed, or were never sent. */
        failed: z.int(),
        latency: z.object(percentiles).nullable(),
      }),
    )
    .readonly(),
  /** Ids of the exchanges that show a kind of failure. */
  exchanges: texts,
});

export const recordSchema = z.discriminatedUnion("type", [
  exchangeSchema,
  loginRecordSchema,
  oauthRecordSchema,
  verificationRecordSchema,
  foreignRecordSchema,
  loadRecordSchema,
]);
