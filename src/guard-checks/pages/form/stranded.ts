import type { Evidence } from "../../../checking/check.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf, returnOf } from "../walk/answer.ts";

/** Answers that leave the browser where it is, and that of an app that limits requests: the user can try again. */
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
  const isElsewhere = status >= 300 && status < 400;
  // A server error, or no answer at all, is judged elsewhere.
  if (status === 0 || status >= 500 || isElsewhere || notTheEnd.includes(status) || returnOf(end) !== null) return null;
  const [path, ownPath] = [end, shown].map(({ request }) => new URL(request.url).pathname);
  if (end !== answer && path === ownPath && status >= 400)
    return `the app leads the user back to its page, and answers ${status} there`;
  return isEmpty(end) ? `the app answered ${status} with an empty page` : null;
}

function isEmpty(end: Exchange): boolean {
  if ((end.response?.body.size ?? 0) === 0) return true;
  const page = pageOf(end);
  return (
    page !== null && page.text.trim() === "" && page.forms.length === 0 && !page.hasScripts && page.refresh === null
  );
}
