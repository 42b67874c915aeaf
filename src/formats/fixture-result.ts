import { z } from "zod";
import { type FormatName, formatNames } from "./format-names.ts";

const count = z.number().int();

const fixtureRowSchema = z.strictObject({
  file: z.string().describe("the localization file"),
  format: z.enum(formatNames as [FormatName, ...FormatName[]]),
  fixture: z.string().nullable().describe("the file that was written; null where there are no strings"),
  strings: count,
  plurals: count,
  withContext: count,
  sourceLanguage: z.string(),
  targetLanguages: z.array(z.string()),
  translations: count.describe("translation objects, all languages together"),
  notes: z.array(z.string()).describe("what was left out or supposed, and why"),
});

/** The result of `fixture`: a row for each file. */
export const fixtureResultSchema = z.strictObject({
  command: z.literal("fixture"),
  fixtures: z.array(fixtureRowSchema),
});
export type FixtureResult = z.infer<typeof fixtureResultSchema>;
export type FixtureRow = FixtureResult["fixtures"][number];
