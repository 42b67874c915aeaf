/** What languages write where a value is missing. */
const WORDS = "undefined|null|none|nil|nan|\\[object \\w+\\]";
const word = new RegExp(`^(?:${WORDS})$`, "i");
const wordOrName = new RegExp(`^(?:${WORDS}|true|false|__proto__|prototype|constructor)?$`, "i");
const wordOrTemplate = new RegExp(`^(?:${WORDS}|\\$\\{?\\w+\\}?|%\\w+%)$`, "i");

/** Whether a text is what languages write where a value is missing, such as `undefined`. */
export function isNoValueWord(text: string): boolean {
  return word.test(text);
}

/** Whether a text shows that a value is missing: such a word, or what stays of a template that nobody filled in. */
export function isNoValue(text: string): boolean {
  return wordOrTemplate.test(text);
}

/**
 * Whether a text is no secret wherever it stands: nothing, a word for it, a truth value, or a name that every object has.
 * An app sends them by mistake, and a check does on purpose; hidden, they would be missing in every text that has the word.
 */
export function isNeverSecret(text: string): boolean {
  return wordOrName.test(text);
}
