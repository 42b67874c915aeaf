import { z } from "zod";
import { guardResultSchema } from "../guard/guard-result.ts";
import { oauthLoginResultSchema } from "../oauth-login/login-result.ts";
import { importResultSchema } from "../post-import/import-result.ts";
import { webhookResultSchema } from "../webhook/webhook-result.ts";

/** The result of `demo`: four of the results above, made against the sample app. */
export const demoResultSchema = z.strictObject({
  command: z.literal("demo"),
  outcome: z.enum(["ok", "failed"]),
  login: guardResultSchema,
  import: importResultSchema,
  webhook: webhookResultSchema,
  oauth: oauthLoginResultSchema,
});
export type DemoResult = z.infer<typeof demoResultSchema>;
