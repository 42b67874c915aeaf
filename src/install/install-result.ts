import { z } from "zod";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";

const appInstallationSchema = z.strictObject({
  /** URL of the app. */
  app: z.string(),
  url: z.string().describe("full URL that the event was sent to"),
  /** HTTP status of the app's answer; null: none came. */
  status: z.number().int().nullable(),
  /** Milliseconds from the beginning to the end of the answer. */
  ms: z.number(),
  /** Id of the exchange of the event, for `app-sim log`. */
  exchange: z.string(),
  /** What went wrong, in words; null: nothing. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  state: z.enum(["installed", "not-installed"]).describe("afterwards"),
  grant: z
    .strictObject({
      /** Whether it got one. */
      outcome: z.enum(["granted", "refused", "not-asked"]),
      type: text.describe("the grant type, such as authorization_code; null: none was read"),
      error: text.describe("the error that the app got, such as invalid_grant"),
      /** Why it got none, in words; null: it got one, or did not ask. */
      reason: text,
      /** Id of its request for the token, for `app-sim log`; null: none. */
      exchange: text,
    })
    .describe("the token that the app requested during the call"),
  exchanges: exchanges.describe("the app's requests to the platform during the call"),
});
export type AppInstallation = z.infer<typeof appInstallationSchema>;

/** The result of `install` and `uninstall` (choice `install.event`). */
export const installResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.enum(["install", "uninstall"]),
  /** `no-event`: no manifest names an address for the event. */
  outcome: z.enum(["installed", "uninstalled", "failed", "no-event"]),
  /** Why it failed, in words; null: it did not. */
  reason: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  apps: z.array(appInstallationSchema).describe("those whose manifest names an address for the event"),
  warnings,
  choices,
});
/** The outcome of the event in each app: what `install()` and `uninstall()` resolve with. */
export type InstallResult = z.infer<typeof installResultSchema>;

/** The result of `reset`. */
export const resetResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("reset"),
  warnings,
});
/** What `app-sim reset --format json` prints. */
export type ResetResult = z.infer<typeof resetResultSchema>;
