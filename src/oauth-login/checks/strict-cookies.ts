import { isStrict, keptCookies } from "../../browser/cookies.ts";
import { unpackedText } from "../../journal/readable-body.ts";
import { type AppVisit, type OAuthLoginFacts, tokenRequests } from "./login-facts.ts";

/** Whether a login sets cookies, but only ones that browsers do not send with the platform's redirect to the callback. */
export function areAllStrict({ own }: AppVisit): boolean {
  const cookies = keptCookies(own);
  return cookies.length > 0 && cookies.every(isStrict);
}

/** What makes a page load an address by itself: a meta element, a script, or the attribute onload. */
const loads = [
  /<meta\s[^>]*\bhttp-equiv\s*=\s*["']?refresh/i,
  /<script\b(?:(?!<\/script)[\s\S])*(?:\blocation\b|\.submit\()/i,
  /\bonload\s*=\s*["'][^"']*(?:\blocation\b|\.submit\()/i,
];

/**
 * Whether a callback without the login's cookies, all of which are Strict, got a page that loads the callback again:
 * browsers send that request, which comes from the app's own page, with all cookies.
 */
export function loadsAgain({ start, withoutStrict }: Pick<OAuthLoginFacts, "start" | "withoutStrict">): boolean {
  const answer = withoutStrict?.own[0]?.response;
  if (!areAllStrict(start) || withoutStrict === null || !answer) return false;
  const isPage = answer.status >= 200 && answer.status < 300;
  const content = unpackedText(answer);
  return isPage && loads.some((pattern) => pattern.test(content)) && tokenRequests(withoutStrict.requests).length === 0;
}
