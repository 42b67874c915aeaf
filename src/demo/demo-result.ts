import { z } from "zod";
import { guardResultSchema } from "../guard/guard-result.ts";
import { oauthLoginResultSchema } from "../oauth-login/login-result.ts";
import { importResultSchema } from "../post-import/import-result.ts";
import { webhookResultSchema } from "../webhook/webhook-result.ts";

// The type refers to the other results: inlined, they would be a fifth of the package's declarations.
type DemoShape = {
  /** The action whose result it is: tells results apart. */
  command: z.ZodLiteral<"demo">;
  /** `failed`: a part of it did not end as it should. */
  outcome: z.ZodEnum<{ ok: "ok"; failed: "failed" }>;
  /** A login that every guard grants. */
  login: typeof guardResultSchema;
  /** A login from an address that a guard denies. */
  denied: typeof guardResultSchema;
  /** An import whose strings the app changes. */
  import: typeof importResultSchema;
  /** Deliveries that the app acknowledges. */
  webhook: typeof webhookResultSchema;
  /** A correct delivery, and one with a wrong signature, which the app refuses. */
  forged: typeof webhookResultSchema;
  /** A login of the app by OAuth, with the use of its tokens. */
  oauth: typeof oauthLoginResultSchema;
};

/** The result of `demo`: results of other commands, made against the sample app. */
export const demoResultSchema: z.ZodObject<DemoShape, z.core.$strict> = z.strictObject({
  command: z.literal("demo"),
  outcome: z.enum(["ok", "failed"]),
  login: guardResultSchema,
  denied: guardResultSchema,
  import: importResultSchema,
  webhook: webhookResultSchema,
  forged: webhookResultSchema,
  oauth: oauthLoginResultSchema,
});
/** What `app-sim demo --format json` prints. */
export type DemoResult = z.infer<typeof demoResultSchema>;
