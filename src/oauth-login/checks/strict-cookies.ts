import { isStrict, keptCookies } from "../../browser/cookies.ts";
import { bodyText } from "../../journal/journal.ts";
import { readableBody } from "../../journal/readable-body.ts";
import { type AppVisit, type OAuthLoginFacts, tokenRequests } from "./login-facts.ts";

/** Whether a login sets cookies, but only ones that browsers do not send with the platform's redirect to the callback. */
export function areAllStrict({ own }: AppVisit): boolean {
  const cookies = keptCookies(own);
  return cookies.length > 0 && cookies.every(isStrict);
}

/** What a page does to load an address by itself. */
const loads = /\blocation\b|\.submit\(|<meta[^>]+refresh/i;

/**
 * Whether a callback without the login's cookies, all of which are Strict, got a page that loads the callback again:
 * browsers send that request, which comes from the app's own page, with all cookies.
 */
export function loadsAgain({ start, withoutStrict }: Pick<OAuthLoginFacts, "start" | "withoutStrict">): boolean {
  const answer = withoutStrict?.own[0]?.response;
  if (!areAllStrict(start) || withoutStrict === null || !answer) return false;
  const isPage = answer.status >= 200 && answer.status < 300;
  const content = bodyText(readableBody(answer.headers, answer.body));
  return isPage && loads.test(content) && tokenRequests(withoutStrict.requests).length === 0;
}
