import { type PageTrouble, pageTrouble, shown, shownList } from "./fill-form.ts";

/** What is said of the first of several buttons, where it was pressed because none was named. */
export function guessHint(texts: readonly string[], presses: readonly string[]): string {
  const why = presses.length === 0 ? "--press was not given" : "--press names no button of that page";
  return `${why}: of the buttons ${shownList(texts)} the first was pressed`;
}

/**
 * These names of fields are those of buttons, and to press another button would be a decision of its own.
 * @param buttons the buttons there are, as `buttonsHint` lists them
 */
export function buttonsAsFields(names: readonly string[], buttons: string): PageTrouble {
  const are = names.length === 1 ? "is a button" : "are buttons";
  const them = names.length === 1 ? "it" : "them";
  return pageTrouble(
    `--fill is for fields, but ${names.map(shown).join(", ")} ${are} of the form`,
    `press ${them} with --press; ${buttons}`,
  );
}
