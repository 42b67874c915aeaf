import { z } from "zod";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";

const appInstallationSchema = z.strictObject({
  app: z.string(),
  url: z.string().describe("full address that the event was sent to"),
  status: z.number().int().nullable(),
  ms: z.number(),
  exchange: z.string(),
  reason: text,
  hint: text,
  failure,
  state: z.enum(["installed", "not-installed"]).describe("afterwards"),
  grant: z
    .strictObject({
      outcome: z.enum(["granted", "refused", "not-asked"]),
      type: text.describe("the grant type, such as authorization_code; null: none was read"),
      error: text.describe("the error that the app got, such as invalid_grant"),
      reason: text,
      exchange: text,
    })
    .describe("the token that the app asked for while the call was open"),
  exchanges: exchanges.describe("what the app asked of the platform while the call was open"),
});
export type AppInstallation = z.infer<typeof appInstallationSchema>;

/** The result of `install` and `uninstall` (choice `install.event`). */
export const installResultSchema = z.strictObject({
  command: z.enum(["install", "uninstall"]),
  outcome: z.enum(["installed", "uninstalled", "failed", "no-event"]),
  reason: text,
  hint: text,
  failure,
  apps: z.array(appInstallationSchema).describe("those whose manifest names an address for the event"),
  warnings,
  choices,
});
export type InstallResult = z.infer<typeof installResultSchema>;

/** The result of `reset`. */
export const resetResultSchema = z.strictObject({ command: z.literal("reset"), warnings });
export type ResetResult = z.infer<typeof resetResultSchema>;
