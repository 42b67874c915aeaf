import { z } from "zod";
import { languageSchema } from "./language.ts";
import { isHttpUrl } from "./url.ts";

/** Text of a string: plain, or by plural category when `hasPlurals` is true (interface 2.5). */
const stringTextSchema = z.union([z.string(), z.record(z.string(), z.string())]);
export type StringText = z.infer<typeof stringTextSchema>;

const statusSchema = z.enum(["untranslated", "translated", "approved"]);

const translationSchema = z.looseObject({
  text: stringTextSchema,
  status: z.union([statusSchema, z.record(z.string(), statusSchema)]).nullish(),
});

/** The fields of interface 2.5. An optional one may be left out or null: both mean its default. */
export const stringRecordShape = {
  uniqId: z.string().min(1),
  identifier: z.string(),
  context: z.string().nullish(),
  maxLength: z.number().int().nullish(),
  isHidden: z.boolean().nullish(),
  hasPlurals: z.boolean().nullish(),
  labels: z.array(z.string()).nullish(),
  attributes: z.looseObject({ platformType: z.string().nullish() }).nullish(),
  text: stringTextSchema,
  translations: z.record(z.string(), translationSchema).nullish(),
};

/** One string record, in a job and in an answer (interface 2.5). */
export const stringRecordSchema = z.looseObject(stringRecordShape).superRefine(checkPluralText);
export type StringRecord = z.infer<typeof stringRecordSchema>;

interface PluralText {
  readonly hasPlurals?: boolean | null | undefined;
  readonly text: StringText;
}

/** Interface 2.5: text is an object when hasPlurals is true, a string otherwise. */
export function checkPluralText({ hasPlurals, text }: PluralText, context: z.core.$RefinementCtx<PluralText>): void {
  if ((typeof text === "object") === (hasPlurals === true)) return;
  const wanted = hasPlurals === true ? "true, so an object keyed by plural category" : "not true, so a string";
  context.addIssue({ code: "custom", path: ["text"], message: `hasPlurals is ${wanted} is expected` });
}

const urlSchema = z.string().refine(isHttpUrl, "expected an http(s) URL without user name and password");

const organizationSchema = z.looseObject({
  id: z.number().int(),
  // null: the organization has none.
  domain: z.string().nullable(),
  baseUrl: urlSchema,
  apiBaseUrl: urlSchema,
});
const projectSchema = z.looseObject({ id: z.number().int(), identifier: z.string(), name: z.string() });
const fileSchema = z.looseObject({
  id: z.number().int(),
  name: z.string().min(1),
  content: z.base64().optional(),
  contentUrl: urlSchema.optional(),
});

/** The request body of a post-import call (interface 2.3). */
export const importJobSchema = z.looseObject({
  jobType: z.string(),
  organization: organizationSchema,
  project: projectSchema,
  file: fileSchema,
  sourceLanguage: languageSchema,
  targetLanguages: z.array(languageSchema),
  strings: z.array(stringRecordSchema).optional(),
  stringsUrl: urlSchema.optional(),
});
export type ImportJob = z.infer<typeof importJobSchema>;

/** The body of an answer (interface 2.4), but for what its strings are. */
export const importAnswerSchema = z.looseObject({
  data: z
    .looseObject({
      strings: z.array(z.unknown()).nullish(),
      stringsUrl: z.string().nullish(),
      preview: z.string().nullish(),
      previewUrl: z.string().nullish(),
    })
    .nullish(),
  error: z.looseObject({ message: z.string().nullish() }).nullish(),
});

/** The part of an answer that says what went wrong in the app; it counts whatever else the answer holds. */
export const importErrorSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** What the app's answer shall look like, for messages. */
export const IMPORT_ANSWER_SHAPE = '{"data": {"strings": […]}} or {"error": {"message": text}}';
