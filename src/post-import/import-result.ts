import { z } from "zod";
import { findingSchema } from "../app-client/finding.ts";
import { choices, exchanges, failure, text, user, warnings } from "../platform/result-parts.ts";
import { occasions } from "../protocol/occasion.ts";

const viaSchema = z.enum(["inline", "url"]);
export type Via = z.infer<typeof viaSchema>;
const count = z.number().int();
const fieldChangeSchema = z.strictObject({
  /** Name of the field, such as `text` or `translations.de` (interface 2.5). */
  field: z.string(),
  /** As it was sent. */
  before: z.unknown(),
  /** As it came back. */
  after: z.unknown(),
});
export type FieldChange = z.infer<typeof fieldChangeSchema>;
const stringChangeSchema = z.strictObject({
  /** Of the string (interface 2.5). */
  uniqId: z.string(),
  /** Visible key of the string. */
  identifier: z.string(),
  /** How it changed between request and answer. */
  change: z.enum(["changed", "added", "removed"]),
  /** The fields that differ from those sent. */
  fields: z.array(fieldChangeSchema),
});
export type StringChange = z.infer<typeof stringChangeSchema>;

const changesSchema = z.strictObject({
  /** Strings that came back changed. */
  changed: count,
  /** Strings that the app made. */
  added: count,
  /** Strings that did not come back. */
  removed: count,
  /** Strings that came back unchanged. */
  unchanged: count,
  hidden: count.describe("of the changed and added ones, those that the app hid"),
  relabelled: count.describe("of the changed ones, those whose labels the app changed"),
  /** Changed, added and removed strings, before and after: only the first thousands; the numbers count all. */
  strings: z.array(stringChangeSchema),
});
export type Changes = z.infer<typeof changesSchema>;

const importFindingSchema = findingSchema.extend({
  value: z.unknown().describe("the value there; null if there is none"),
  rule: z.string().describe("what the interface requires, in words"),
  identifier: text.describe("visible key of the string"),
  notKept: count.optional().describe("on the last finding of a check: how many more it stands for"),
});
export type ImportFinding = z.infer<typeof importFindingSchema>;

const importedJobSchema = z.strictObject({
  /** Name of the fixture. */
  fixture: z.string(),
  /** Why the platform imports (interface 2.1). */
  occasion: z.enum(occasions),
  languages: z.array(z.string()).describe("ids of the target languages"),
  user: user.describe("who imports the file"),
  /** Key of the module that was called; null: none takes the file. */
  module: text,
  /** `not-modified`: the app left the strings as they were; `skipped`: no module takes the file. */
  outcome: z.enum(["imported", "not-modified", "failed", "skipped"]),
  /** Why it failed, in words; null: it did not. */
  error: text,
  /** What to try; null: there is nothing to do. */
  hint: text,
  failure,
  /** The request (interface 2.3). */
  sent: z.strictObject({
    /** How many strings the job has. */
    strings: count,
    /** How they were sent: in the body, or in a file that it names. */
    via: viaSchema,
    contentVia: viaSchema.describe("how the source file was sent"),
    bytes: count.describe("of the request"),
  }),
  /** The answer (interface 2.4). */
  received: z.strictObject({
    /** How many strings came back. */
    strings: count,
    /** How they were sent. */
    via: viaSchema,
    bytes: count.describe("of the response, or of the file that it names"),
  }),
  preview: z
    .strictObject({
      via: viaSchema.describe("inside the answer, or at an address"),
      bytes: count.describe("of the page"),
      url: text.describe("where the platform shows it, if it does"),
    })
    .nullable()
    .describe("the preview that the app sent; null: none (interface 2.4)"),
  /** What the app did to the strings. */
  changes: changesSchema,
  /** What breaks the contract, or looks wrong, with its place in the answer. */
  findings: z.array(importFindingSchema),
  ignored: z
    .array(
      z.strictObject({
        /** Which objects have it. */
        in: z.enum(["string", "translation"]),
        /** Of the member. */
        name: z.string(),
        strings: count.describe("how many strings have it"),
      }),
    )
    .describe("members of the strings that the interface does not have, so that the platform ignores them"),
  expected: z
    .strictObject({
      /** Its name. */
      file: z.string(),
      result: z
        .enum(["written", "not-written", "same", "different"])
        .describe("not-written: an answer that breaks the contract cannot be expected"),
      reason: text.describe("what differs apart from the strings, or why it is not written"),
      differences: changesSchema.describe("from the expected strings to those received"),
    })
    .nullable()
    .describe("the comparison with the expected answer next to the fixture"),
  exchanges,
});
export type ImportedJob = z.infer<typeof importedJobSchema>;

/** The result of `post-import`: one entry per job (interface 2.3, 2.4). */
export const importResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("post-import"),
  /** The result of each job, in the order of the calls. */
  jobs: z.array(importedJobSchema),
  warnings,
  choices,
});
/** The result of each imported file (interface 2.3, 2.4): what `postImport()` resolves with. */
export type ImportResult = z.infer<typeof importResultSchema>;
