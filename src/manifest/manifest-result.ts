import { z } from "zod";
import { choices, failure, guardType, text, warnings } from "../platform/result-parts.ts";

const installedAppSchema = z.strictObject({
  url: z.string(),
  source: z.string().describe("file or URL of the manifest"),
  guards: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: text,
      url: z.string().describe("full address"),
      type: guardType,
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
  problems: z
    .array(
      z.strictObject({
        app: z.string().describe("URL of the app"),
        path: z.string().describe('where in the manifest: `modules.webhook[0].events`, or "" for the whole'),
        message: z.string(),
        severity: z.enum(["error", "warning"]),
      }),
    )
    .describe("everything that is wrong with the manifests, however bad; an error fails the command"),
  apps: z.array(installedAppSchema),
  warnings,
  choices,
});
export type ManifestResult = z.infer<typeof manifestResultSchema>;
