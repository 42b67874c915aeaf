import { z } from "zod";
import { exchangePurposes } from "./purposes.ts";

const bodySchema = z
  .object({
    /** The bytes. */
    base64: z.string(),
    /** Bytes on the wire, before any content decoding. */
    size: z.number(),
  })
  .describe("as it travelled; its first bytes, where it is longer than the journal keeps");
const headersSchema = z
  .array(z.tuple([z.string(), z.string()]).readonly())
  .readonly()
  .describe("name and value of each line, in the order and spelling of the wire");
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
