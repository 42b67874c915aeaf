import { z } from "zod";
import { roles } from "../config/roles.ts";
import { choices, exchanges, failure, guardType, text, warnings } from "../platform/result-parts.ts";

const stageSchema = z.strictObject({
  stage: z.enum(["password", "mfa", "device-trust", "guard", "remember-me"]),
  module: z.string().optional(),
  type: guardType.optional(),
  /** The app whose guard it is. */
  app: z.string().optional(),
  /** `denied`: it said no; `failed`: it gave no answer that counts, so the login went no further. */
  result: z.enum(["passed", "denied", "failed", "skipped", "needs-user"]),
  reason: z.string().optional(),
  hint: z.string().optional(),
  warnings: warnings.optional(),
  /** Tries at a stage that is not a guard, where the first was not enough. */
  attempts: z.number().int().optional(),
  /** The guard answered 401 or 403: it did not accept the call itself. */
  refused: z.literal(true).optional(),
  /** Rows of the table of interface 3.1 that the guard took, from 1. */
  rows: z.array(z.number().int()).optional(),
  exchanges,
});

/** The result of `guard` (one login, interface 3.1). */
export const guardResultSchema = z.strictObject({
  command: z.literal("guard"),
  outcome: z
    .enum(["granted", "denied", "failed", "needs-user"])
    .describe(
      "denied: a guard or another stage said no; failed: no access, because the app gave no answer that counts",
    ),
  deniedBy: text.describe("key of the guard that said no"),
  reason: text,
  hint: text,
  failure,
  user: z.strictObject({ id: z.number().int(), role: z.enum(roles) }),
  ipAddress: z.string(),
  expectation: z
    .strictObject({ outcome: z.enum(["granted", "denied", "refused"]), deniedBy: text, isMet: z.boolean() })
    .nullable()
    .describe("how the login was expected to end, and whether it did; null: nobody said"),
  stages: z.array(stageSchema),
  warnings,
  choices,
});
export type GuardResult = z.infer<typeof guardResultSchema>;
export type GuardStage = z.infer<typeof stageSchema>;
