import { z } from "zod";
import { languageSchema } from "./language.ts";
import { isHttpUrl } from "./url.ts";

/** Text of a string: plain, or by plural category when `hasPlurals` is true (interface 2.5). */
const stringTextSchema = z.union([z.string(), z.record(z.string(), z.string())]);
export type StringText = z.infer<typeof stringTextSchema>;

const statusSchema = z.enum(["untranslated", "translated", "approved"]);

const translationSchema = z.looseObject(
  {
    /** Plain, or by plural category of the target language. */
    text: stringTextSchema,
    /** One for all categories, or one for each; default `translated`. */
    status: z.union([statusSchema, z.record(z.string(), statusSchema)]).nullish(),
  },
  'expected an object with the text, such as {"text": "…"}',
);

/** The fields of interface 2.5. An optional one may be left out or null: both mean its default. */
export const stringRecordShape = {
  /** Id of the string, unique within the file. */
  uniqId: z.string().min(1),
  /** Visible key of the string. */
  identifier: z.string(),
  /** Tells translators where the string is used. */
  context: z.string().nullish(),
  /** Maximum length of a translation in characters; null: no limit. */
  maxLength: z.number().int().nullish(),
  /** Whether it is hidden from translators; default false. */
  isHidden: z.boolean().nullish(),
  /** Whether `text` is an object by plural category; default false. */
  hasPlurals: z.boolean().nullish(),
  /** Titles of its labels. */
  labels: z.array(z.string()).nullish(),
  /** What is needed to process the string. */
  attributes: z
    .looseObject({
      /** File format of the string, if it needs processing after the import. */
      platformType: z.string().nullish(),
    })
    .nullish(),
  /** The source text: plain, or by plural category where `hasPlurals` is true. */
  text: stringTextSchema,
  /** By target language id. */
  translations: z
    .record(z.string(), translationSchema, 'expected an object by language id, such as {"uk": {"text": "…"}}')
    .nullish(),
};

/** One string record, in a job and in an answer (interface 2.5). */
export const stringRecordSchema = z.looseObject(stringRecordShape).superRefine(checkPluralText);
/** One string of a job or an answer (interface 2.5). */
export type StringRecord = z.infer<typeof stringRecordSchema>;

interface PluralText {
  readonly hasPlurals?: boolean | null | undefined;
  readonly text: StringText;
}

/** Interface 2.5: text is an object when hasPlurals is true, a string otherwise. */
export function checkPluralText({ hasPlurals, text }: PluralText, context: z.core.$RefinementCtx<PluralText>): void {
  if ((typeof text === "object") === (hasPlurals === true)) return;
  const message =
    hasPlurals === true
      ? "expected an object keyed by plural category, because hasPlurals is true"
      : "expected a string, because hasPlurals is not true";
  context.addIssue({ code: "custom", path: ["text"], message });
}

const urlSchema = z.string().refine(isHttpUrl, "expected an http(s) URL without user name and password");

const organizationSchema = z.looseObject({
  /** Number of the organization. */
  id: z.number().int(),
  /** Its name in addresses; null if it has none. */
  domain: z.string().nullable(),
  /** Its address for users. */
  baseUrl: urlSchema,
  /** Its address for the REST API. */
  apiBaseUrl: urlSchema,
});
const projectSchema = z.looseObject({
  /** Number of the project. */
  id: z.number().int(),
  /** Its name in addresses. */
  identifier: z.string(),
  /** Its name for people. */
  name: z.string(),
});
const fileSchema = z.looseObject({
  /** Number of the file in the project. */
  id: z.number().int(),
  /** With its extension. */
  name: z.string().min(1),
  /** Its bytes in base64; absent: `contentUrl` names them. */
  content: z.base64().optional(),
  /** Where its bytes are. */
  contentUrl: urlSchema.optional(),
});

/** The request body of a post-import call (interface 2.3). */
export const importJobSchema = z.looseObject({
  /** Says what the call is for (choice `wire.jobType`). */
  jobType: z.string(),
  /** The organization in which the app is installed. */
  organization: organizationSchema,
  /** The project that the file belongs to. */
  project: projectSchema,
  /** The source file. */
  file: fileSchema,
  /** Language of the source texts. */
  sourceLanguage: languageSchema,
  /** Languages whose translations are imported; empty for a source file. */
  targetLanguages: z.array(languageSchema),
  /** What the file holds; absent: `stringsUrl` names it. */
  strings: z.array(stringRecordSchema).optional(),
  /** Where the strings are, one JSON object per line. */
  stringsUrl: urlSchema.optional(),
});
/** The request body of a post-import call (interface 2.3). */
export type ImportJob = z.infer<typeof importJobSchema>;

/** The body of an answer (interface 2.4), without the details of its strings. */
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

/** The expected shape of the app's answer, for messages. */
export const IMPORT_ANSWER_SHAPE = '{"data": {"strings": […]}} or {"error": {"message": text}}';
