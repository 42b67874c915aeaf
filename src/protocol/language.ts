import { z } from "zod";

/**
 * A language as a job carries it (interface 2.3, "Language object fields").
 *
 * `pluralCategoryNames` are the keys of a plural text, in CLDR order; `pluralRules` is a C expression over the
 * integer `n` whose value is an index into them. Keys that the interface does not list are kept.
 */
export const languageSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  editorCode: z.string(),
  twoLettersCode: z.string(),
  threeLettersCode: z.string(),
  locale: z.string(),
  androidCode: z.string(),
  osxCode: z.string(),
  osxLocale: z.string(),
  pluralCategoryNames: z.array(z.string()).min(1),
  pluralRules: z.string(),
});

export type Language = z.infer<typeof languageSchema>;
