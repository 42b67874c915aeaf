import { z } from "zod";
import { findingSchema } from "../app-client/finding.ts";
import { choices, exchanges, failure, text, user, warnings } from "../platform/result-parts.ts";
import { oauthLoginSteps } from "./checks/login-facts.ts";

const oauthStep = z.enum(oauthLoginSteps);

/** The result of `oauth`: one login of an app by OAuth, with the use of its tokens (interface 5.2 to 5.4). */
export const oauthLoginResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("oauth"),
  outcome: z.enum(["ok", "denied", "failed"]).describe("denied: the user declined, and the app handled it well"),
  decision: z.enum(["approve", "deny"]).describe("what the user should do"),
  /** Why the login failed, in words; null: it did not. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  start: z.string().describe("full URL at which the login starts"),
  user,
  steps: z
    .array(
      z.strictObject({
        /** Where in the login: from the app's start page to the use of its tokens. */
        step: oauthStep,
        /** `skipped`: the login did not get this far. */
        result: z.enum(["passed", "warned", "failed", "skipped"]),
        text: z.string().describe("what happened"),
        /** What to try; null: there is nothing to do. */
        hint: text,
        /** More about what happened, a line each. */
        details: z.array(z.string()),
        exchanges,
      }),
    )
    .describe("as far as the login got"),
  findings: z
    .array(
      findingSchema.extend({
        /** The step of the login that it concerns. */
        step: oauthStep,
        /** What to try; null: there is nothing to do. */
        hint: text,
      }),
    )
    .describe("what is wrong, or could not be tried"),
  warnings,
  choices,
});
/** How one login of the app by OAuth went, step by step (interface 5.2 to 5.4). */
export type OAuthLoginResult = z.infer<typeof oauthLoginResultSchema>;
