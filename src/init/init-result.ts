import { z } from "zod";
import { text, warnings } from "../platform/result-parts.ts";

const initFileSchema = z.strictObject({
  file: z.string().describe("relative to the working directory"),
  /** What the file is for. */
  purpose: z.string(),
  state: z
    .enum(["written", "added", "there", "left"])
    .describe("written, lines added, already there and not changed, or not written because it was not confirmed"),
  content: z.string().describe("the file, or the lines added to it"),
});

/** The result of `init`: what the project is, and what was done with each file. */
export const initResultSchema = z.strictObject({
  /** The action that produced this result: tells results apart. */
  command: z.literal("init"),
  /** What was done with the files, overall. */
  outcome: z.enum(["written", "nothing-written", "nothing-to-write"]),
  /** What the directory contains. */
  project: z.strictObject({
    /** Programming language of the app; null if unknown. */
    language: text,
    /** Web framework of the app; null if unknown. */
    framework: text,
    url: z.string().describe("where the app listens"),
    urlFrom: z.string().describe("where the address comes from"),
    start: text.describe("the command line that starts the app"),
    manifest: text.describe("file of the manifest"),
    runner: text.describe("the test runner"),
    runs: z.boolean().describe("whether the app answered"),
  }),
  /** Each file that a project needs for app-sim. */
  files: z.array(initFileSchema),
  /** Command lines to continue with, and what each is for. */
  next: z.array(
    z.strictObject({
      /** As typed. */
      command: z.string(),
      /** What it is for, in words. */
      purpose: z.string(),
    }),
  ),
  warnings,
});
/** What `app-sim init --format json` prints: the project, and what was done with each file. */
export type InitResult = z.infer<typeof initResultSchema>;
export type InitFile = z.infer<typeof initFileSchema>;
