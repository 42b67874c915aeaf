import { z } from "zod";
import { findingSchema } from "../app-client/finding.ts";
import { roles } from "../config/schema.ts";
import type { LoadExportResult, LoadResult } from "../load/load-result.ts";
import { oauthLoginSteps } from "../oauth-login/checks/oauth-login-facts.ts";
import { LISTED_STRINGS } from "../post-import/rules/string-comparison.ts";
import { occasions } from "../protocol/occasion.ts";
import type { ScenarioResult } from "../scenario/scenario-result.ts";
import type { SignatureResult } from "../webhook/signature-result.ts";
import { type WebhookResult, webhookResultSchema } from "../webhook/webhook-result.ts";
import { choices, exchanges, failure, text, warnings } from "./result-parts.ts";

const guardTypeSchema = z.enum(["direct", "redirect", "frame"]);

const stageSchema = z.strictObject({
  stage: z.enum(["password", "mfa", "device-trust", "guard", "remember-me"]),
  module: z.string().optional(),
  type: guardTypeSchema.optional(),
  /** The app whose guard it is. */
  app: z.string().optional(),
  result: z.enum(["passed", "denied", "skipped", "needs-user"]),
  reason: z.string().optional(),
  hint: z.string().optional(),
  warnings: warnings.optional(),
  /** Tries at a stage that is not a guard, where the first was not enough. */
  attempts: z.number().int().optional(),
  /** Rows of the table of interface 3.1 that the guard took, from 1. */
  rows: z.array(z.number().int()).optional(),
  exchanges,
});

/** The result of `guard` (one login, interface 3.1). */
export const guardResultSchema = z.strictObject({
  command: z.literal("guard"),
  outcome: z.enum(["granted", "denied", "needs-user"]),
  deniedBy: text.describe("key of the guard that denied"),
  reason: text,
  hint: text,
  failure,
  user: z.strictObject({ id: z.number().int(), role: z.enum(roles) }),
  ipAddress: z.string(),
  stages: z.array(stageSchema),
  warnings,
  choices,
});
export type GuardResult = z.infer<typeof guardResultSchema>;
export type GuardStage = z.infer<typeof stageSchema>;

const viaSchema = z.enum(["inline", "url"]);
export type Via = z.infer<typeof viaSchema>;
const count = z.number().int();
const fieldChangeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() });
const stringChangeSchema = z.strictObject({
  uniqId: z.string(),
  identifier: z.string(),
  change: z.enum(["changed", "added", "removed"]),
  fields: z.array(fieldChangeSchema),
});
export type StringChange = z.infer<typeof stringChangeSchema>;

const changesSchema = z.strictObject({
  changed: count,
  added: count,
  removed: count,
  unchanged: count,
  hidden: count.describe("of the changed and added ones, those that the app hid"),
  relabelled: count.describe("of the changed ones, those whose labels the app changed"),
  strings: z
    .array(stringChangeSchema)
    .describe(`strings that are not unchanged, before and after: the first ${LISTED_STRINGS.toLocaleString("en-US")}`),
});
export type Changes = z.infer<typeof changesSchema>;

const importFindingSchema = findingSchema.extend({
  value: z.unknown().describe("what stands there; null where nothing does"),
  rule: z.string().describe("what the interface asks for, in words"),
  identifier: text.describe("visible key of the string that it is about"),
  notKept: z.number().int().optional().describe("of the last finding of a check: how many more it stands for"),
});
export type ImportFinding = z.infer<typeof importFindingSchema>;

const importedJobSchema = z.strictObject({
  fixture: z.string(),
  occasion: z.enum(occasions),
  languages: z.array(z.string()).describe("ids of the target languages"),
  user: z.strictObject({ id: count, role: z.enum(roles) }).describe("who imports the file"),
  module: text,
  outcome: z.enum(["imported", "not-modified", "failed", "skipped"]),
  error: text,
  hint: text,
  failure,
  sent: z.strictObject({
    strings: count,
    via: viaSchema,
    contentVia: viaSchema.describe("how the source file travelled"),
    bytes: count.describe("of the request"),
  }),
  received: z.strictObject({
    strings: count,
    via: viaSchema,
    bytes: count.describe("of the response, or of the file that it names"),
  }),
  preview: z
    .strictObject({ via: viaSchema, bytes: count, url: text.describe("where the platform shows it, if it does") })
    .nullable(),
  changes: changesSchema,
  findings: z.array(importFindingSchema),
  expected: z
    .strictObject({
      file: z.string(),
      result: z
        .enum(["written", "not-written", "same", "different"])
        .describe("not-written: nobody can expect an answer that breaks the contract"),
      reason: text.describe("what differs beside the strings, or why it is not written"),
      differences: changesSchema.describe("from the expected strings to those that came"),
    })
    .nullable()
    .describe("the comparison with the expected answer that lies beside the fixture"),
  exchanges,
});
export type ImportedJob = z.infer<typeof importedJobSchema>;

/** The result of `post-import`: one entry per job (interface 2.3, 2.4). */
export const importResultSchema = z.strictObject({
  command: z.literal("post-import"),
  jobs: z.array(importedJobSchema),
  warnings,
  choices,
});
export type ImportResult = z.infer<typeof importResultSchema>;

const installedAppSchema = z.strictObject({
  url: z.string(),
  source: z.string().describe("file or URL of the manifest"),
  guards: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: text,
      url: z.string().describe("full address"),
      type: guardTypeSchema,
      applyToAdmins: z.boolean(),
      optionsUrl: text.describe("full address of the page for the user"),
    }),
  ),
  imports: z.array(
    z.strictObject({
      key: z.string(),
      url: z.string(),
      signaturePatterns: z.strictObject({ fileName: z.string().optional(), fileContent: z.string().optional() }),
    }),
  ),
  webhooks: z.array(
    z.strictObject({
      key: z.string(),
      url: z.string(),
      events: z.array(z.string()),
      environments: z.array(z.string()).nullable(),
    }),
  ),
});

/** The result of `manifest`: how the manifests are read (interface 2.1). */
export const manifestResultSchema = z.strictObject({
  command: z.literal("manifest"),
  outcome: z.enum(["ok", "failed"]),
  reason: text,
  hint: text,
  failure,
  apps: z.array(installedAppSchema),
  warnings,
  choices,
});
export type ManifestResult = z.infer<typeof manifestResultSchema>;

const toldAppSchema = z.strictObject({
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
      error: text.describe("what the app was told, such as invalid_grant"),
      reason: text,
      exchange: text,
    })
    .describe("the installation grant, as far as the app asked for it while the call was open"),
  exchanges: exchanges.describe("what the app asked of the platform while the call was open"),
});
export type ToldApp = z.infer<typeof toldAppSchema>;

/** The result of `install` and `uninstall` (choice `install.event`). */
export const installResultSchema = z.strictObject({
  command: z.enum(["install", "uninstall"]),
  outcome: z.enum(["installed", "uninstalled", "failed", "no-event"]),
  reason: text,
  hint: text,
  failure,
  apps: z.array(toldAppSchema).describe("those whose manifest names an address for the event"),
  warnings,
  choices,
});
export type InstallResult = z.infer<typeof installResultSchema>;

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

export type Result =
  | GuardResult
  | ImportResult
  | WebhookResult
  | SignatureResult
  | LoadResult
  | LoadExportResult
  | ScenarioResult
  | ManifestResult
  | InstallResult
  | OAuthLoginResult
  | DemoResult;
