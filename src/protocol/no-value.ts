/** What languages write where a value is missing. */
const WORDS = "undefined|null|none|nil|\\[object \\w+\\]";
const word = new RegExp(`^(?:${WORDS})$`, "i");
const wordOrTemplate = new RegExp(`^(?:${WORDS}|\\$\\{?\\w+\\}?|%\\w+%)$`, "i");

/** Whether a text is what languages write where a value is missing, such as `undefined`. */
export function isNoValueWord(text: string): boolean {
  return word.test(text);
}

/** Whether a text shows that a value is missing: such a word, or what stays of a template that nobody filled in. */
export function isNoValue(text: string): boolean {
  return wordOrTemplate.test(text);
}
