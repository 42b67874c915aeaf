import type { Evidence } from "../../../checking/check.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf, returnOf } from "../walk/answer.ts";

/** An app that limits requests, and answers that leave a browser where it is: the user can try again. */
const notTheEnd = [204, 205, 429];

/**
 * Why a user cannot go on after a form in which something was wrong, in words; null: the user can, or finds at least a
 * text that says what to do.
 * @param shown the role of the requests that led to the page with the form
 * @param isTried whether a role is that of a form in which something is wrong
 */
export function strandedIn(
  { steps, landing }: Evidence,
  shown: string,
  isTried: (role: string) => boolean,
): string | null {
  const page = steps.findLast(({ role }) => role === shown)?.exchange;
  if (page === undefined) return null;
  const tried = steps.filter(({ role }) => isTried(role)).map(({ exchange }) => exchange);
  return tried.map((answer) => strandedBy(answer, page, landing(answer))).find((each) => each !== null) ?? null;
}

function strandedBy(answer: Exchange, shown: Exchange, end: Exchange): string | null {
  const status = end.response?.status ?? 0;
  // A server error, or no answer at all, is judged elsewhere.
  if (status === 0 || status >= 500 || notTheEnd.includes(status) || returnOf(end) !== null) return null;
  const [path, ownPath] = [end, shown].map(({ request }) => new URL(request.url).pathname);
  if (end !== answer && path === ownPath && status >= 400)
    return `the app leads the user back to its page in a way that it answers with ${status}`;
  return isEmpty(end) ? `the app answered ${status} with an empty page` : null;
}

function isEmpty(end: Exchange): boolean {
  const isRedirect = (end.response?.status ?? 0) < 400 && (end.response?.status ?? 0) >= 300;
  if (isRedirect) return false;
  if ((end.response?.body.size ?? 0) === 0) return true;
  const page = pageOf(end);
  return (
    page !== null && page.text.trim() === "" && page.forms.length === 0 && !page.hasScripts && page.refresh === null
  );
}
