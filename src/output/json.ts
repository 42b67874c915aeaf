// What a terminal would obey, or show as something else, if the JSON is printed there: DEL, C1, bidi controls,
// line separators. JSON may write any character as an escape, so nothing is lost.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One JSON value on lines of its own, harmless to a terminal and byte for byte equal when parsed (hardening S15). */
export function jsonText(value: unknown): string {
  return `${escaped(JSON.stringify(value, null, 2))}\n`;
}

/** One JSON value on one line, for what comes as it happens; else like {@link jsonText}. */
export function jsonLine(value: unknown): string {
  return `${escaped(JSON.stringify(value))}\n`;
}

function escaped(json: string): string {
  return json.replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
