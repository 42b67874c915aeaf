import { z } from "zod";
import { exchangePurposes } from "./purposes.ts";

const bodySchema = z
  .object({
    /** The bytes. */
    base64: z.string(),
    /** Bytes on the wire, before any content decoding. */
    size: z.number(),
  })
  .describe("as sent; only its first bytes if it is longer than the journal keeps");
const headersSchema = z
  .array(z.tuple([z.string(), z.string()]).readonly())
  .readonly()
  .describe("name and value of each line, in the order and spelling as sent");
const requestSchema = z.object({
  /** Such as `POST`. */
  method: z.string(),
  /** Full address. */
  url: z.string(),
  headers: headersSchema,
  body: bodySchema,
});
const responseSchema = z.object({
  /** The HTTP status, such as 200. */
  status: z.number(),
  headers: headersSchema,
  body: bodySchema,
});

const phase = z.enum(["connect", "headers", "body"]).describe("what it was waiting for");
const detail = z.string().describe("what the system or the library says");
const expectsTls = z.literal(true).optional().describe("present if the server expects TLS, but was called without");
const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({
    /** A complete answer came, whatever its status. */
    kind: z.literal("answered"),
  }),
  z.object({
    /** Nothing listens there, or the host does not exist. */
    kind: z.literal("unreachable"),
    /** From the system, such as `ECONNREFUSED`. */
    code: z.string(),
    detail,
    /** The address on this machine at which the port does answer. */
    elsewhere: z.string().nullable(),
  }),
  z.object({
    /** The connection was established, but not TLS. */
    kind: z.literal("tls-failed"),
    /** From the TLS library, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
    code: z.string(),
    detail,
  }),
  z.object({
    /** The whole call took too long. */
    kind: z.literal("timed-out"),
    phase,
    /** The time limit in milliseconds. */
    limitMs: z.number(),
  }),
  z.object({
    /** The connection ended before the answer did. */
    kind: z.literal("disconnected"),
    phase,
    detail,
    expectsTls,
  }),
  z.object({
    /** The answer is larger than app-sim accepts. */
    kind: z.literal("too-large"),
    /** The limit in bytes. */
    limit: z.number(),
    /** Whether only the decompressed body was too large. */
    decoded: z.boolean(),
  }),
  z.object({
    /** The answer is not HTTP. */
    kind: z.literal("not-http"),
    detail,
    expectsTls,
  }),
  z.object({
    /** The body cannot be decoded as its header says. */
    kind: z.literal("undecodable"),
    /** `Content-Encoding` of the answer. */
    encoding: z.string(),
    detail,
  }),
  z.object({
    /** The platform stopped reading: the beginning of the answer was reason enough. */
    kind: z.literal("cut-off"),
    detail,
  }),
  z.object({
    /** The user ended the call. */
    kind: z.literal("interrupted"),
  }),
]);

export const exchangeSchema = z.object({
  /** Tells records apart. */
  type: z.literal("exchange"),
  /** Unique in the journal. */
  id: z.string(),
  /** What it was for: a call by the platform, or a request to it. */
  purpose: z.enum(exchangePurposes),
  /** Key of the module that was called; null if it was not a module. */
  module: z.string().nullable(),
  /** Which attempt at which webhook delivery it was (interface 6); missing in journals of the first version. */
  delivery: z
    .object({
      /** The same for all attempts at a delivery, and for its duplicates. */
      id: z.string(),
      /** From 1. */
      attempt: z.int(),
    })
    .exactOptional(),
  /** The check of `verify` that sent it. */
  check: z
    .object({
      /** Id of the verification, whose record follows its exchanges; missing in journals of earlier versions. */
      verification: z.string().exactOptional(),
      /** From 1; higher if checks are repeated. */
      run: z.int(),
      /** What is verified, such as `guard.first:network`. */
      subject: z.string(),
      /** Id of the check; null for a request that belongs to no check alone. */
      id: z.string().nullable(),
      /** `control`: the correct request; `step`: a request that precedes it; `twin`, or the check's own word for it. */
      role: z.string(),
      /** From 1: the sequence of requests to which it belongs, if several run at the same time; else missing. */
      lane: z.int().exactOptional(),
      /** The body that was signed, if it differs from the one sent. */
      signed: z.string().exactOptional(),
    })
    .exactOptional(),
  /** It decided nothing, and was repeated: the app asked for that, or was not reached in time. */
  postponed: z.literal(true).exactOptional(),
  /** Wall-clock start, ISO 8601 in UTC. */
  startedAt: z.string(),
  /** Milliseconds from the start. */
  timings: z.object({
    /** Until the TCP connection; missing without one, for requests of the app, and in journals of earlier versions. */
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
  /** What was received of the response, even for outcomes other than `answered`; null before any headers. */
  response: responseSchema.nullable(),
  /** How it ended. */
  outcome: outcomeSchema,
});
