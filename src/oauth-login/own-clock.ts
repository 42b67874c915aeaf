import { beginOAuthLogin, type Login, visit } from "./begin-login.ts";
import { type AppVisit, apiRequests, isGoodPage, SHORT_SECONDS, tokenRequests } from "./checks/login-facts.ts";
import { createLoginBrowser } from "./login-browser.ts";

/**
 * Milliseconds after which such a token has expired by any clock: one that counts whole seconds may be a second late.
 */
const OVER_MS = (SHORT_SECONDS + 1) * 1000 + 100;

/** Whether the API told the app that its token has expired, and the app did nothing about it. */
export function isLeftExpired({ landing, requests }: AppVisit): boolean {
  if (landing.kind === "trouble" || tokenRequests(requests).length > 0) return false;
  return apiRequests(requests).length > 0 || !isGoodPage(landing);
}

/**
 * An app may go by its own clock, which cannot be advanced: another login, in another browser, gets a token that really
 * expires after a second, and its page is opened afterwards.
 * @returns what the browser and the app did after the exchange, as one visit; null: this login did not get that far
 */
export async function visitByOwnClock(login: Login, start: string, page: string): Promise<AppVisit | null> {
  const { context, app, oauth, records } = login;
  const other = { ...login, browser: await createLoginBrowser(context, app) };
  const begun = await beginOAuthLogin(other, start);
  const location = begun.authorization?.verdict.kind === "decided" ? begun.authorization.verdict.location : null;
  const code = location === null ? null : new URL(location).searchParams.get("code");
  if (location === null || code === null) return null;
  oauth.shorten(code, SHORT_SECONDS);
  const { count } = records;
  await visit(other, location, context.baseUrl());
  await context.clock.pause(OVER_MS, context.signal);
  const { landing } = await visit(other, page, page);
  const { requests, own, exchanges } = records.since(count, other.browser);
  const asked = begun.authorization?.exchanges.filter((id) => id !== null) ?? [];
  return {
    url: page,
    landing,
    own,
    requests: requests.filter(({ record }) => record.step !== "exchange"),
    exchanges: [...begun.start.exchanges, ...asked, ...exchanges],
  };
}
