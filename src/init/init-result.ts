import { z } from "zod";
import { text, warnings } from "../platform/result-parts.ts";

const initFileSchema = z.strictObject({
  file: z.string().describe("relative to the working directory"),
  /** What the file is for. */
  purpose: z.string(),
  state: z
    .enum(["written", "added", "there", "left"])
    .describe("written, lines added, there already and not touched, or not written because nobody said yes"),
  content: z.string().describe("the file, or the lines added to it"),
});

/** The result of `init`: what the project is, and what became of each file. */
export const initResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("init"),
  /** What became of the files, all together. */
  outcome: z.enum(["written", "nothing-written", "nothing-to-write"]),
  /** What the directory holds. */
  project: z.strictObject({
    /** Programming language of the app; null: not found out. */
    language: text,
    /** Web framework of the app; null: not found out. */
    framework: text,
    url: z.string().describe("where the app listens"),
    urlFrom: z.string().describe("what says so"),
    start: text.describe("the command line that starts the app"),
    manifest: text.describe("file of the manifest"),
    runner: text.describe("the test runner"),
    runs: z.boolean().describe("whether the app answered"),
  }),
  /** Each file that a project needs for app-sim. */
  files: z.array(initFileSchema),
  /** Command lines to go on with, and what each is for. */
  next: z.array(
    z.strictObject({
      /** As it is typed. */
      command: z.string(),
      /** What it is for, in words. */
      purpose: z.string(),
    }),
  ),
  warnings,
});
/** What `app-sim init --format json` prints: the project, and what became of each file. */
export type InitResult = z.infer<typeof initResultSchema>;
export type InitFile = z.infer<typeof initFileSchema>;
