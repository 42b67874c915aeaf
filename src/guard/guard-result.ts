import { z } from "zod";
import { choices, exchanges, failure, guardType, text, user, warnings } from "../platform/result-parts.ts";

const stageSchema = z.strictObject({
  /** In the order in which the user passes them (interface 3.1). */
  stage: z.enum(["password", "mfa", "device-trust", "guard", "remember-me"]),
  /** Key of the guard's module; absent at other stages. */
  module: z.string().optional(),
  /** How the guard decides: immediately, or on a page of the app. */
  type: guardType.optional(),
  /** The app whose guard it is. */
  app: z.string().optional(),
  /** `denied`: it said no; `failed`: it gave no valid answer, so the login stopped. */
  result: z.enum(["passed", "denied", "failed", "skipped", "needs-user"]),
  /** Why it ended so, in words. */
  reason: z.string().optional(),
  /** What to try. */
  hint: z.string().optional(),
  warnings: warnings.optional(),
  /** Tries at a stage that is not a guard, if more than one. */
  attempts: z.number().int().optional(),
  /** The guard answered 401 or 403: it did not accept the call itself. */
  refused: z.literal(true).optional(),
  /** Rows of the table of interface 3.1 that the guard took, from 1. */
  rows: z.array(z.number().int()).optional(),
  exchanges,
});

/** The result of `guard` (one login, interface 3.1). */
export const guardResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("guard"),
  outcome: z
    .enum(["granted", "denied", "failed", "needs-user"])
    .describe("denied: a guard or another stage said no; failed: the app gave no valid answer, or has no guard to ask"),
  deniedBy: text.describe("key of the guard that said no"),
  /** Why access was not granted, in words; null: it was. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  user,
  /** Where the user logged in from, IPv4 or IPv6. */
  ipAddress: z.string(),
  expectation: z
    .strictObject({
      /** `refused`: the app should refuse calls with a forged token. */
      outcome: z.enum(["granted", "denied", "refused"]),
      /** Key of the guard that should deny; null: any. */
      deniedBy: text,
      /** Whether the login ended that way. */
      isMet: z.boolean(),
    })
    .nullable()
    .describe("how the login was expected to end, and whether it did; null: no expectation"),
  /** What the login went through, in order, with the stages that were skipped. */
  stages: z.array(stageSchema),
  warnings,
  choices,
});
/** How one login ended, stage by stage (interface 3.1): what `guard()` resolves with. */
export type GuardResult = z.infer<typeof guardResultSchema>;
export type GuardStage = z.infer<typeof stageSchema>;

/** For a login without any guard: the user gets in, which proves nothing about an app. */
export const NOTHING_CHECKED = "no auth-guard module is declared: nothing was checked";
