import { z } from "zod";

/**
 * A language as a job carries it (interface 2.3, "Language object fields").
 *
 * `pluralCategoryNames` are the keys of a plural text, in CLDR order; `pluralRules` is a C expression over the
 * integer `n` whose value is an index into them. Keys that the interface does not list are kept.
 */
export const languageSchema = z.looseObject({
  /** The platform's id, such as `pt-BR`. */
  id: z.string(),
  /** In English. */
  name: z.string(),
  /** In the editor's addresses. */
  editorCode: z.string(),
  /** ISO 639-1, or the platform's substitute for it. */
  twoLettersCode: z.string(),
  /** ISO 639-3. */
  threeLettersCode: z.string(),
  /** With its region, such as `pt-BR`. */
  locale: z.string(),
  /** In names of resource folders, such as `pt-rBR`. */
  androidCode: z.string(),
  /** In names of Apple's folders, such as `pt-BR.lproj`. */
  osxCode: z.string(),
  /** Apple's locale, such as `pt_BR`. */
  osxLocale: z.string(),
  /** Keys of a plural text, in CLDR order. */
  pluralCategoryNames: z.array(z.string()).min(1),
  /** C expression over `n` that gives the index of the category. */
  pluralRules: z.string(),
});

export type Language = z.infer<typeof languageSchema>;
