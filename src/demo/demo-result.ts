import { z } from "zod";
import { guardResultSchema } from "../guard/guard-result.ts";
import { oauthLoginResultSchema } from "../oauth-login/login-result.ts";
import { importResultSchema } from "../post-import/import-result.ts";
import { webhookResultSchema } from "../webhook/webhook-result.ts";

/** The result of `demo`: results of other commands, made against the sample app. */
export const demoResultSchema = z.strictObject({
  command: z.literal("demo"),
  outcome: z.enum(["ok", "failed"]),
  login: guardResultSchema,
  denied: guardResultSchema.describe("a login from an address that a guard lets nobody in from"),
  import: importResultSchema,
  webhook: webhookResultSchema,
  forged: webhookResultSchema.describe("a right delivery, and one with a wrong signature, which the app refuses"),
  oauth: oauthLoginResultSchema,
});
export type DemoResult = z.infer<typeof demoResultSchema>;
