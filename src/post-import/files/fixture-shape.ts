import { z } from "zod";
import { checkPluralText, importJobSchema, stringRecordShape } from "../../protocol/import-job.ts";
import { occasions } from "../../protocol/occasion.ts";
import { isHttpUrl } from "../../protocol/url.ts";

/** A string of the short form (interface 2.5): a record whose uniqId is optional. */
export const shortStringSchema = z
  .strictObject({ ...stringRecordShape, uniqId: z.string().min(1).optional() })
  .superRefine(checkPluralText);

/** Elements of `stringsFile`: a short-form string each. */
export const shortStringsSchema = z.array(shortStringSchema);
export type ShortString = z.infer<typeof shortStringSchema>;

/**
 * The short form of a post-import fixture: without what the platform already knows (organization, project, language
 * objects), and with files named instead of embedded.
 */
export const shortFixtureSchema = z
  .strictObject({
    project: z.string().min(1).optional().describe("identifier of a configured project; default the first"),
    /** The source file of the strings. */
    file: z.strictObject({
      /** Numeric id of the file; default derived from its name. */
      id: z.number().int().optional(),
      name: z.string().min(1).optional().describe("default: the name in `path`"),
      path: z.string().min(1).optional().describe("the source file, relative to the fixture"),
      content: z.base64().optional().describe("base64 of the source file, instead of `path`"),
    }),
    sourceLanguage: z.string().optional().describe("a language id; default: the project's"),
    targetLanguages: z.array(z.string()).optional().describe("language ids; default none, as for a new source file"),
    occasion: z.enum(occasions).optional().describe("default: what the target languages say"),
    /** Records of interface 2.5, whose `uniqId` is optional. */
    strings: shortStringsSchema.optional(),
    stringsFile: z.string().min(1).optional().describe("JSON array or newline-delimited JSON, relative to the fixture"),
  })
  .refine((fixture) => (fixture.strings === undefined) !== (fixture.stringsFile === undefined), {
    path: ["strings"],
    message: "give either strings or stringsFile",
  })
  .refine((fixture) => (fixture.file.path === undefined) !== (fixture.file.content === undefined), {
    path: ["file"],
    message: "give either path or content",
  })
  .refine((fixture) => fixture.file.path !== undefined || fixture.file.name !== undefined, {
    path: ["file", "name"],
    message: "required without path",
  });
export type ShortFixture = z.infer<typeof shortFixtureSchema>;
export type ShortFixtureInput = z.input<typeof shortFixtureSchema>;

const fileOrUrl = z
  .string()
  .min(1)
  .refine(
    (address) => !address.includes("://") || isHttpUrl(address),
    "expected a file, or an http(s) URL without a user name or password",
  );

/** A complete job (interface 2.3) as a fixture: its addresses may also be files, relative to the fixture. */
export const wireFixtureSchema = importJobSchema.extend({
  jobType: z.string().optional(),
  file: importJobSchema.shape.file.extend({ content: z.base64().nullish(), contentUrl: fileOrUrl.nullish() }),
  strings: importJobSchema.shape.strings.nullable(),
  stringsUrl: fileOrUrl.nullish(),
});
