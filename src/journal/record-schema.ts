import { z } from "zod";
import { exchangeSchema } from "./exchange-schema.ts";

const userSchema = z.object({ id: z.number(), role: z.string() });
const texts = z.array(z.string()).readonly();

export const loginRecordSchema = z.object({
  /** Tells records apart. */
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
  /** Tells records apart. */
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
  /** Tells records apart. */
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
      /** Of the check, such as `guard.token.alg-none` (docs/checks.md). */
      id: z.string(),
      /** Key of the module; null: the check concerns none alone. */
      module: z.string().nullable(),
      /** What was checked, in words. */
      subject: z.string(),
      /** `inconclusive`: the app did not accept the right request, so that the twin says nothing. */
      result: z.enum(["pass", "warn", "fail", "skip", "inconclusive"]),
      /** What came that is not right; for a skip, why it was not tried. */
      reason: z.string().nullable(),
      /** How to mend it; for a skip, what enables the check; null: there is nothing to do. */
      hint: z.string().nullable(),
      /** Id of the right request that the twin is compared with; null: none. */
      control: z.string().nullable(),
      /** Id of the request that differs from it in one property; null: none. */
      twin: z.string().nullable(),
      /** Ids of all requests that it made, in order. */
      exchanges: texts,
    }),
  ),
  /** Rows of the tables of the interface. */
  coverage: z.array(coverageRowSchema),
});

export const foreignRecordSchema = z.object({
  /** Tells records apart. */
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
const percentilesSchema = z.object({
  /** The median: half of the deliveries took no longer. */
  p50: z.number(),
  /** 95 % took no longer. */
  p95: z.number(),
  /** 99 % took no longer. */
  p99: z.number(),
  /** The longest. */
  max: z.number(),
});

export const loadRecordSchema = z.object({
  /** Tells records apart. */
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
  /** From when a delivery was due until its answer, in milliseconds; null: nothing was answered. */
  latency: percentilesSchema.nullable(),
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
        /** From when they were due until their answers, in milliseconds; null: nothing was answered. */
        latency: percentilesSchema.nullable(),
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
