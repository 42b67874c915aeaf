import type { FormatName } from "./format-names.ts";

/** A localization file, read and decoded, for the parser of its format. */
export interface SourceText {
  /** As the user named it, for messages. */
  readonly file: string;
  readonly format: FormatName;
  /** Line feeds only, no byte order mark. */
  readonly text: string;
  /** The language id that the user or the path says; null where neither does. */
  readonly language: string | null;
}

/** Texts by plural category, those that the file has. */
export type PluralTexts = Readonly<Record<string, string>>;
export type TextStatus = "untranslated" | "translated" | "approved";

/** A source string as the file has it: plural texts are not completed yet. */
export interface ParsedString {
  /** What translations are found by, where the identifier is not enough. */
  readonly key?: string;
  readonly identifier: string;
  readonly text: string | PluralTexts;
  readonly context?: string;
  readonly labels?: readonly string[];
  /** In characters. */
  readonly maxLength?: number;
  readonly isHidden?: true;
}

/** A translation as the file has it. Without a status it is translated if it has a text. */
export interface ParsedTranslation extends Pick<ParsedString, "key" | "identifier" | "text"> {
  readonly status?: TextStatus;
}

/** Translations into one language. */
export interface ParsedTranslations {
  /** A known language id. */
  readonly language: string;
  readonly strings: readonly ParsedTranslation[];
}

/** Something in the file that no fixture can hold, or that was read otherwise than it stands there. */
export interface LeftOut {
  /** Such as `a number is no text, left out`. */
  readonly why: string;
  /** Where: an identifier. */
  readonly what: string;
}

/** What a localization file holds. */
export interface ParsedFile {
  /** A language as the file writes it; null where it does not say. */
  readonly sourceLanguage: string | null;
  readonly strings: readonly ParsedString[];
  readonly translations: readonly ParsedTranslations[];
  readonly leftOut: readonly LeftOut[];
}

/** What translations of the string are found by. */
export function keyOf({ key, identifier }: Pick<ParsedString, "key" | "identifier">): string {
  return key ?? identifier;
}
