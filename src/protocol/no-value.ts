/** What languages print for a missing value. */
const WORDS = "undefined|null|none|nil|nan|\\[object \\w+\\]";
const word = new RegExp(`^(?:${WORDS})$`, "i");
const printed = /^(?:undefined|null|None|<?nil>?|NaN|\[object \w+\])$/;
const wordOrName = new RegExp(`^(?:${WORDS}|true|false|__proto__|prototype|constructor)?$`, "i");
const wordOrTemplate = new RegExp(`^(?:${WORDS}|\\$\\{?\\w+\\}?|%\\w+%)$`, "i");

/** Whether a text is what languages print for a missing value, such as `undefined`. */
export function isNoValueWord(text: string): boolean {
  return word.test(text);
}

/** The same in the letters in which languages print it: a person may write `none`. */
export function isPrintedNoValue(text: string): boolean {
  return printed.test(text);
}

/** Whether a text shows that a value is missing: such a word, or a template that was never filled in. */
export function isNoValue(text: string): boolean {
  return wordOrTemplate.test(text);
}

/**
 * Whether a text can never be a secret: empty, a word for a missing value, a boolean, or a property that every object
 * has. Apps send these by mistake, and checks on purpose; if they were redacted, every text with such a word would lose
 * it.
 */
export function isNeverSecret(text: string): boolean {
  return wordOrName.test(text);
}
