import { type Field, type FormControl, type HtmlForm, isField } from "../../../browser/html-form.ts";
import { type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";
import { cookiesAfter, TOKEN_PLACE } from "../walk/login.ts";
import { fieldsOf, withField, withoutField } from "./form.ts";

/**
 * The request of the right form, as the one that a page shows again sends it.
 * @param shown the page at first
 * @param answer the page with the form that is shown again
 * @param name the field that was filled in wrongly
 * @returns null if that is no form with this field, or another one: it asks for more, has another button, or has no
 * address
 */
export function completedAgain(
  right: RequestParts,
  shown: Exchange,
  answer: Exchange,
  name: string,
): RequestParts | null {
  const [before, after] = [formWith(shown, name), formWith(answer, name)];
  const again = before && after && completed(right, before, after);
  return again && withHeader(again, "Cookie", cookiesAfter(answer));
}

/** The form of a page that asks for a field of this name; null: it has none. */
function formWith(page: Exchange, name: string): HtmlForm | null {
  const isAsked = ({ controls }: HtmlForm) =>
    controls.some((each) => each.name === name && isField(each) && each.kind !== "hidden" && !each.isDisabled);
  return pageOf(page)?.forms.find(isAsked) ?? null;
}

function completed(right: RequestParts, before: HtmlForm, after: HtmlForm): RequestParts | null {
  const isIn = ({ controls }: HtmlForm, { name }: FormControl) => controls.some((each) => each.name === name);
  // A hidden field next to a box of the same name says no for it: the right form has both.
  const isBox = ({ name }: FormControl) =>
    after.controls.some((each) => each.kind === "checkbox" && each.name === name);
  const isHidden = (each: FormControl): each is Field => each.kind === "hidden" && each.name !== "" && !isBox(each);
  const hidden = after.controls.filter(isHidden);
  const lost = before.controls.filter((each) => !isIn(after, each));
  const isOther = after.controls.some((each) => each.kind !== "hidden" && !isIn(before, each));
  if (after.action === null || isOther || lost.some(({ kind }) => kind === "submit")) return null;
  const isKeptToken = ({ name, value }: Field) =>
    value !== "" && fieldsOf(right).some(([each, sent]) => each === name && sent === TOKEN_PLACE);
  const isSentAlike = right.method === "POST" && after.method === "post";
  const withHidden = hidden.reduce<RequestParts>(
    (request, field) => (isKeptToken(field) ? request : (withField(request, field.name, field.value) ?? request)),
    isSentAlike ? { ...right, url: addressAgain(right.url, after.action) } : right,
  );
  const sent = lost.reduce((request, { name }) => withoutField(request, name) ?? request, withHidden);
  const holdsToken = [sent.url, ...fieldsOf(sent).flat()].some((text) => text.includes(TOKEN_PLACE));
  return holdsToken ? sent : { ...sent, token: null };
}

/** The address of the form that is shown again, with a place for the token where the right one has it. */
function addressAgain(right: string, again: string): string {
  const [before, after] = [new URL(right), new URL(again)];
  if (before.pathname.includes(TOKEN_PLACE)) return right;
  const isToken = (name: string) => before.searchParams.get(name) === TOKEN_PLACE && after.searchParams.get(name);
  const tokens = [...before.searchParams.keys()].filter(isToken);
  for (const name of tokens) after.searchParams.set(name, TOKEN_PLACE);
  return after.href;
}
