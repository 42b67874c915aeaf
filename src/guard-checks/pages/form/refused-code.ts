import type { Exchange } from "../../../journal/exchange.ts";
import { everythingIn, isPassed } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import { codeLikeTexts } from "../walk/walked-code.ts";

/** A form that was sent with a wrong password, and the answer. */
export interface WrongTry {
  readonly form: ReadyForm;
  readonly answer: Exchange;
}

/** Maximum number of texts of a refusal that are tried: some apps count wrong codes. */
const MOST_TEXTS = 2;

/** What may be a code in the second of two refusals: neither the first one nor the login has had it before. */
export function codesInRefusal(first: WrongTry, second: WrongTry): string[] {
  if (isPassed(first.answer) || isPassed(second.answer)) return [];
  const { walked, state } = second.form;
  const known = [...walked, first.answer].map(everythingIn).join();
  const texts = [...new Set(codeLikeTexts(second.answer))];
  return texts.filter((text) => text !== state && !known.includes(text)).slice(0, MOST_TEXTS);
}
