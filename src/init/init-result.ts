import { z } from "zod";
import { text, warnings } from "../platform/result-parts.ts";

const initFileSchema = z.strictObject({
  file: z.string().describe("relative to the working directory"),
  purpose: z.string(),
  state: z
    .enum(["written", "added", "there", "left"])
    .describe("written, lines added, there already and not touched, or not written because nobody said yes"),
  content: z.string().describe("the file, or the lines added to it"),
});

/** The result of `init`: what the project is, and what became of each file. */
export const initResultSchema = z.strictObject({
  command: z.literal("init"),
  outcome: z.enum(["written", "nothing-written", "nothing-to-write"]),
  project: z.strictObject({
    language: text,
    framework: text,
    url: z.string().describe("where the app listens"),
    urlFrom: z.string().describe("what says so"),
    start: text.describe("the command line that starts the app"),
    manifest: text.describe("file of the manifest"),
    runner: text.describe("the test runner"),
    runs: z.boolean().describe("whether the app answered"),
  }),
  files: z.array(initFileSchema),
  next: z.array(z.strictObject({ command: z.string(), purpose: z.string() })),
  warnings,
});
export type InitResult = z.infer<typeof initResultSchema>;
export type InitFile = z.infer<typeof initFileSchema>;
