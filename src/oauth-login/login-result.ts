import { z } from "zod";
import { findingSchema } from "../app-client/finding.ts";
import { roles } from "../config/roles.ts";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";
import { oauthLoginSteps } from "./checks/login-facts.ts";

const oauthStep = z.enum(oauthLoginSteps);

/** The result of `oauth`: one login of an app by OAuth, with the use of its tokens (interface 5.2 to 5.4). */
export const oauthLoginResultSchema = z.strictObject({
  command: z.literal("oauth"),
  outcome: z.enum(["ok", "denied", "failed"]).describe("denied: the user declined, and the app took it well"),
  decision: z.enum(["approve", "deny"]).describe("what the user was to do"),
  reason: text,
  hint: text,
  failure,
  start: z.string().describe("full address at which the login begins"),
  user: z.strictObject({ id: z.number().int(), role: z.enum(roles) }),
  steps: z
    .array(
      z.strictObject({
        step: oauthStep,
        result: z.enum(["passed", "warned", "failed", "skipped"]),
        text: z.string().describe("what happened"),
        hint: text,
        details: z.array(z.string()),
        exchanges,
      }),
    )
    .describe("as far as the login came"),
  findings: z.array(findingSchema.extend({ step: oauthStep, hint: text })),
  warnings,
  choices,
});
export type OAuthLoginResult = z.infer<typeof oauthLoginResultSchema>;
