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
  /** How it ended: `failed` if no guard decided it. */
  outcome: z.enum(["granted", "denied", "failed", "needs-user"]),
  /** Key of the guard, or the stage, that denied it; null if none did. */
  deniedBy: z.string().nullable(),
  /** Why it ended this way, in words. */
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
  /** The user on whose behalf; null if unknown. */
  user: userSchema.nullable(),
  /** `asked`: the user has not decided yet. */
  outcome: z.enum(["ok", "asked", "refused"]),
  /** The code in the answer to the app, such as invalid_grant, or an HTTP status. */
  error: z.string().nullable(),
  /** Why it was refused, in words. */
  reason: z.string().nullable(),
  /** What to try, if the answer to the app does not say it. */
  hint: z.string().nullable(),
  /** What is odd about it, although it was not refused. */
  warnings: texts,
  /** Id of the exchange. */
  exchange: z.string(),
});

/** A row of a table of the interface. */
export const coverageRowSchema = z.strictObject({
  /** Section of the interface, such as `3.1`. */
  section: z.string(),
  /** The row in words. */
  row: z.string(),
  /** Whether a check led the app through it. */
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
  /** Why it ended this way, in words. */
  reason: z.string().nullable(),
  /** Seed of everything random. */
  seed: z.int(),
  /** Address of the platform, without a trailing slash. */
  platform: z.string(),
  /** How each check ended; ids refer to exchanges. */
  checks: z.array(
    z.object({
      /** Id of the check, such as `guard.token.alg-none` (docs/checks.md). */
      id: z.string(),
      /** Key of the module; null if the check concerns more than one. */
      module: z.string().nullable(),
      /** What was checked, in words. */
      subject: z.string(),
      /** `inconclusive`: the app did not accept the correct request, so the twin proves nothing. */
      result: z.enum(["pass", "warn", "fail", "skip", "inconclusive"]),
      /** What is wrong in the answer; for a skip, why the check was not run. */
      reason: z.string().nullable(),
      /** How to fix it; for a skip, what enables the check; null if there is nothing to do. */
      hint: z.string().nullable(),
      /** Id of the correct request that the twin is compared with; null if there is none. */
      control: z.string().nullable(),
      /** Id of the request that differs from it in one property; null if there is none. */
      twin: z.string().nullable(),
      /** Ids of all requests that it made, in order. */
      exchanges: texts,
    }),
  ),
  /** Rows of the interface's tables. */
  coverage: z.array(coverageRowSchema),
});

export const foreignRecordSchema = z.object({
  /** Tells records apart. */
  type: z.literal("foreign"),
  /** Unique in the journal. */
  id: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  /** Number of requests from pages of other sites that this platform has refused so far. */
  count: z.int(),
  /** Method of the latest one. */
  method: z.string(),
  /** Its path, without the query string, at most 200 characters. */
  path: z.string(),
  /** Origin of its page; null if the browser did not say. */
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
  /** Sent, but not acknowledged. */
  failed: z.int(),
  /** Due, but never sent. */
  notSent: z.int(),
  /** Duration of the load in seconds. */
  seconds: z.number(),
  /** Deliveries per second. */
  rate: z.number(),
  /** From when a delivery was due until its answer, in milliseconds; null if nothing was answered. */
  latency: percentilesSchema.nullable(),
  /** The same over the course of the load, by when deliveries were due. */
  curve: z
    .array(
      z.object({
        /** From the start of the load, in milliseconds. */
        fromMs: z.number(),
        /** Deliveries due in this interval. */
        count: z.int(),
        /** How many of them failed, or were never sent. */
        failed: z.int(),
        /** From when they were due until their answers, in milliseconds; null if nothing was answered. */
        latency: percentilesSchema.nullable(),
      }),
    )
    .readonly(),
  /** Ids of exchanges that show each kind of failure. */
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
