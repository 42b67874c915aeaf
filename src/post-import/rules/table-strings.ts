/** A text of a string in one language, and what the module made of it. */
export interface TableText {
  /** null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** What is found of it, such as a lost placeholder. */
  readonly notes: readonly string[];
}

/** A string of an import, or one plural form of it. */
export interface TableString {
  /** The uniqId. */
  readonly id: string;
  readonly identifier: string;
  /** Of a plural form, such as `few`; null: the string has no plurals. */
  readonly category: string | null;
  readonly isHidden: boolean;
  /** Whether it did not come back, which means that it is removed. */
  readonly isRemoved: boolean;
  /** In the order of the languages; null: neither side has a text in that language. */
  readonly texts: readonly (TableText | null)[];
  /** What is found of the string as a whole. */
  readonly notes: readonly string[];
}

/** An import as the table of its strings. */
export interface StringsTable {
  /** Ids, that of the source first. */
  readonly languages: readonly string[];
  readonly strings: readonly TableString[];
  /** Whether the journal kept only the beginning: the strings are those that are known on both sides. */
  readonly isCut: boolean;
}

/** Whether there is one text to show: both sides are the same, or the whole string did not come back. */
export function isUnchangedText({ before, after }: TableText, { isRemoved }: Pick<TableString, "isRemoved">): boolean {
  return before === after || (isRemoved && after === null);
}

export function isChangedString({ texts }: TableString): boolean {
  return texts.some((text) => text !== null && text.before !== text.after);
}

/** Whether something was found of the string, or it did not come back. */
export function isNoted({ texts, notes, isRemoved }: TableString): boolean {
  return isRemoved || notes.length > 0 || texts.some((text) => (text?.notes.length ?? 0) > 0);
}
