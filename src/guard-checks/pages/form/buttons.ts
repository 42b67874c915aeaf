import { buttonsOf } from "../../../browser/fill-form.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";

/** The labels of the submit buttons of a page, or else their names. */
export function buttonsIn(landing: Exchange): string[] {
  const forms = pageOf(landing)?.forms ?? [];
  return forms
    .flatMap(buttonsOf)
    .filter(({ kind, isDisabled }) => kind === "submit" && !isDisabled)
    .map(({ text, value, id, name }) => text || value || id || name);
}

/** At the beginning, because "I accept the non-disclosure terms" says yes. */
const refusing =
  /^(i |we )?(declin|den(y|ies)|reject|refus|disagree|cancel|abort|abbrechen|ablehnen|annuler|rechazar|cancelar|rifiut|annulla|recusar|odmít|zamít|zruš|anuluj|odrzu|відхил|скасув|отклон|отмен)/iu;
const negated = /\b(do not|don[’']t|cannot) (accept|agree|confirm|allow|approve)|^(it is|it’s|it's) not me\b/iu;
const plainNo = /^(no|non|nein|ne|nie|ні|нет)([\s.,!]*(thanks|thank you|merci|danke))?[.!]?$/iu;

/** Whether a button says no. */
export function saysNo(text: string): boolean {
  return [refusing, negated, plainNo].some((words) => words.test(text));
}
