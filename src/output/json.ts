// Characters that a terminal would obey, or show as something else, if the JSON is printed there: DEL, C1, bidi
// controls, line separators. JSON can escape any character, so nothing is lost.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One JSON value on lines of its own, safe for a terminal and equal when parsed (hardening S15). */
export function jsonText(value: unknown): string {
  return `${escaped(JSON.stringify(value, null, 2))}\n`;
}

/** One JSON value on one line, for streamed output; otherwise like {@link jsonText}. */
export function jsonLine(value: unknown): string {
  return `${escaped(JSON.stringify(value))}\n`;
}

function escaped(json: string): string {
  return json.replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
