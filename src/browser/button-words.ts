import { type PageTrouble, pageTrouble, shown, shownList } from "./fill-form.ts";

/** A note that the first of several buttons was pressed because none was named. */
export function guessHint(texts: readonly string[], presses: readonly string[]): string {
  const why = presses.length === 0 ? "--press was not given" : "--press names no button of that page";
  return `${why}: the first of the buttons ${shownList(texts)} was pressed`;
}

/**
 * These names of fields are names of buttons, and which button to press is a decision of its own.
 * @param buttons the buttons on the page, as `buttonsHint` lists them
 */
export function buttonsAsFields(names: readonly string[], buttons: string): PageTrouble {
  const are = names.length === 1 ? "is a button" : "are buttons";
  const them = names.length === 1 ? "it" : "them";
  return pageTrouble(
    `--fill is for fields, but ${names.map(shown).join(", ")} ${are} of the form`,
    `press ${them} with --press; ${buttons}`,
  );
}
