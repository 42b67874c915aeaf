import { buttonsOf } from "../../../browser/fill-form.ts";
import type { FormButton } from "../../../browser/html-form.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";

/** The submit buttons of a page. */
export function submitButtonsIn(landing: Exchange): FormButton[] {
  const forms = pageOf(landing)?.forms ?? [];
  return forms.flatMap(buttonsOf).filter(({ kind, isDisabled }) => kind === "submit" && !isDisabled);
}

/** The labels of the submit buttons of a page, or else their names. */
export function buttonsIn(landing: Exchange): string[] {
  return submitButtonsIn(landing).map(labelOf);
}

/** At the beginning, because "I accept the non-disclosure terms" says yes. */
const declining =
  /^(i |we )?(declin|den(y|ies)|reject|refus|disagree|ablehnen|rechazar|rifiut|recusar|odmít|zamít|odrzu|відхил|отклон)/iu;
const cancelling = /^(i |we )?(cancel|abort|abbrechen|annuler|cancelar|annulla|zruš|anuluj|скасув|отмен)/iu;
const negated = /\b(do not|don[’']t|cannot) (accept|agree|confirm|allow|approve)|^(it is|it’s|it's) not me\b/iu;
const plainNo = /^(no|non|nein|ne|nie|ні|нет)([\s.,!]*(thanks|thank you|merci|danke))?[.!]?$/iu;

/** Whether a button says no. */
export function saysNo(text: string): boolean {
  return refuses(text) || plainNo.test(text);
}

/** Whether a button ends the login: a plain no may also be the answer to a question such as whether to remember a device. */
export function refuses(text: string): boolean {
  return cancelling.test(text) || declines(text);
}

/** Whether a button refuses what its page asks for: any page may have one that cancels. */
export function declines(text: string): boolean {
  return declining.test(text) || negated.test(text);
}

/** The label of a submit button, or else its name. */
export function labelOf({ text, value, id, name }: FormButton): string {
  return text || value || id || name;
}
