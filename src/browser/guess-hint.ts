import { shownList } from "./fill-form.ts";

/** What is said of the first of several buttons, where it was pressed because none was named. */
export function guessHint(texts: readonly string[], presses: readonly string[]): string {
  const why = presses.length === 0 ? "--press was not given" : "--press names no button of that page";
  return `${why}: of the buttons ${shownList(texts)} the first was pressed`;
}
