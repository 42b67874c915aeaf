/** The given texts as sentences, one after another, without a period at the end; null if there is none. */
export function sentences(texts: readonly (string | null)[]): string | null {
  const given = texts.filter((text) => text !== null);
  return given.length === 0
    ? null
    : given
        .map((text) => text.replace(/(?<![.?])$/, "."))
        .join(" ")
        .replace(/\.$/, "");
}
