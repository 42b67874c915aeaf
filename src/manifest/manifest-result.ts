import { z } from "zod";
import { choices, failure, guardType, text, warnings } from "../platform/result-parts.ts";

const installedAppSchema = z.strictObject({
  /** Address of the app. */
  url: z.string(),
  source: z.string().describe("file or URL of the manifest"),
  /** Its `auth-guard` modules, in the order in which they run. */
  guards: z.array(
    z.strictObject({
      /** Key of the module: what `modules` of a login names. */
      key: z.string(),
      /** Name shown to users. */
      name: z.string(),
      /** Description shown to users; null if there is none. */
      description: text,
      url: z.string().describe("full address"),
      /** How the guard decides: immediately, or on a page of the app. */
      type: guardType,
      /** Whether owners and admins are asked too. */
      applyToAdmins: z.boolean(),
      optionsUrl: text.describe("full address of the page for the user"),
    }),
  ),
  /** Its `file-post-import` modules. */
  imports: z.array(
    z.strictObject({
      /** Key of the module. */
      key: z.string(),
      /** Full address. */
      url: z.string(),
      /** Regular expressions of the files that the module is for; none: every file. */
      signaturePatterns: z.strictObject({
        /** For the file's name; missing: any. */
        fileName: z.string().optional(),
        /** For the file's content; missing: any. */
        fileContent: z.string().optional(),
      }),
    }),
  ),
  /** Its `webhook` modules. */
  webhooks: z.array(
    z.strictObject({
      /** Key of the module. */
      key: z.string(),
      /** Full address. */
      url: z.string(),
      /** Names of the events that it receives (interface 2.6). */
      events: z.array(z.string()),
      /** Editions that it is for; null: all. */
      environments: z.array(z.string()).nullable(),
    }),
  ),
});

/** The result of `manifest`: how the manifests are read (interface 2.1). */
export const manifestResultSchema = z.strictObject({
  /** The action that produced this result: tells results apart. */
  command: z.literal("manifest"),
  /** `failed`: a manifest cannot be read, or has an error. */
  outcome: z.enum(["ok", "failed"]),
  /** Why it ended this way, in words; null if there is nothing to explain. */
  reason: text,
  /** What to try; null if there is nothing to do. */
  hint: text,
  failure,
  problems: z
    .array(
      z.strictObject({
        app: z.string().describe("URL of the app"),
        path: z.string().describe('where in the manifest: `modules.webhook[0].events`, or "" for the whole'),
        /** What is wrong, in words. */
        message: z.string(),
        /** A warning does not stop anything from working. */
        severity: z.enum(["error", "warning"]),
      }),
    )
    .describe("everything that is wrong with the manifests; an error fails the command"),
  /** What each app declares, as app-sim reads it. */
  apps: z.array(installedAppSchema),
  warnings,
  choices,
});
/** How the manifests are read (interface 2.1), and what is wrong with them. */
export type ManifestResult = z.infer<typeof manifestResultSchema>;
