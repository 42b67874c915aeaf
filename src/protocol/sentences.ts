/**
 * The given texts as sentences, one after another, without a period at the end; null if there is none. The first begins
 * as it is given, because it follows a colon.
 */
export function sentences(texts: readonly (string | null)[]): string | null {
  const given = texts.filter((text) => text !== null);
  return given.length === 0
    ? null
    : given
        .map((text, index) => (index === 0 ? text : text.charAt(0).toUpperCase() + text.slice(1)))
        .map((text) => text.replace(/(?<![.?])$/, "."))
        .join(" ")
        .replace(/\.$/, "");
}
