import { z } from "zod";
import { findingSchema } from "../app-client/finding.ts";
import { roles } from "../config/roles.ts";
import { choices, exchanges, failure, text, warnings } from "../platform/result-parts.ts";
import { occasions } from "../protocol/occasion.ts";

/** Further changes are only counted, so that a million of them fit into memory. */
export const LISTED_STRINGS = 5000;

const viaSchema = z.enum(["inline", "url"]);
export type Via = z.infer<typeof viaSchema>;
const count = z.number().int();
const fieldChangeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() });
export type FieldChange = z.infer<typeof fieldChangeSchema>;
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
  notKept: count.optional().describe("of the last finding of a check: how many more it stands for"),
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
