/** A text of a string in one language, before and after the module. */
export interface TableText {
  /** null: it does not exist. */
  readonly before: string | null;
  readonly after: string | null;
  /** Findings about it, such as a lost placeholder. */
  readonly notes: readonly string[];
}

/** A string of an import, or one plural form of it. */
export interface TableString {
  /** The uniqId. */
  readonly id: string;
  readonly identifier: string;
  /** The plural category, such as `few`; null: the string has no plurals. */
  readonly category: string | null;
  readonly isHidden: boolean;
  /** Whether it did not come back, so it is removed. */
  readonly isRemoved: boolean;
  /** In the order of the languages; null: neither side has a text in that language. */
  readonly texts: readonly (TableText | null)[];
  /** Findings about the string as a whole. */
  readonly notes: readonly string[];
}

/** An import as the table of its strings. */
export interface StringsTable {
  /** Ids, that of the source first. */
  readonly languages: readonly string[];
  readonly strings: readonly TableString[];
  /** Whether the journal kept only the beginning: then only strings known on both sides are listed. */
  readonly isCut: boolean;
}

/** Whether there is one text to show: both sides are the same, or the whole string did not come back. */
export function isUnchangedText({ before, after }: TableText, { isRemoved }: Pick<TableString, "isRemoved">): boolean {
  return before === after || (isRemoved && after === null);
}

export function isChangedString({ texts }: TableString): boolean {
  return texts.some((text) => text !== null && text.before !== text.after);
}

/** Whether there are findings about the string, or it did not come back. */
export function isNoted({ texts, notes, isRemoved }: TableString): boolean {
  return isRemoved || notes.length > 0 || texts.some((text) => (text?.notes.length ?? 0) > 0);
}
