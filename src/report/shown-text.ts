/** The journal has the rest of a longer text. */
const MOST_CHARACTERS = 20_000;

/** The part of a text that a report shows, and whether that is all of it. */
export function shownText(text: string): { readonly shown: string; readonly isWhole: boolean } {
  // Not split by graphemes, which would take seconds for thousands of bodies.
  const shown = text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
  return { shown, isWhole: shown === text };
}
