import type { App, Config } from "../config/schema.ts";
import { shellWord } from "../output/shell-word.ts";
import { isHttpUrl, isSamePlace, joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { OAuthLoginOptions } from "./oauth-login-options.ts";

/** Whether an address belongs to the app: to its url or one of its registered redirect addresses (hardening S18, S29). */
export function isAppAddress({ url, redirectUris }: App, address: URL): boolean {
  return [url, ...redirectUris].some((own) => isHttpUrl(own) && isSamePlace(address, new URL(own)));
}

/** Where a login begins, and the page on which its token is used. */
interface LoginAddresses {
  readonly start: string;
  readonly use: string | undefined;
}

/**
 * The addresses of a login: what was asked for, or else the setting `verify.oauth`.
 * @throws UsageError where neither says where the login begins
 */
export function loginAddresses({ verify }: Config, { start, use }: OAuthLoginOptions): LoginAddresses {
  if (start !== undefined) return { start, use };
  if (verify.oauth !== null) return { start: verify.oauth.start, use: use ?? verify.oauth.use };
  throw new UsageError(
    "start-missing",
    "where the login begins is not known: neither --start nor verify.oauth.start of the configuration says it",
    'give the address that the login button of your app leads to, such as --start /login, or, for every command, say in the config file: "verify": {"oauth": {"start": "/login"}}',
  );
}

/**
 * The app whose login link is opened, and the full address of that link.
 * @throws UsageError for an address of no configured app, or for a path if several apps are configured
 */
export function findStart({ apps }: Config, start: string): { readonly app: App; readonly url: string } {
  const isFull = isHttpUrl(start);
  const app = isFull ? apps.find((candidate) => isAppAddress(candidate, new URL(start))) : apps[0];
  const urls = apps.map(({ url }) => url).join(", ");
  if (app === undefined) {
    const address = new URL(start);
    throw new UsageError(
      "start-elsewhere",
      `the login link is at ${address.origin}, which is not an address of the app`,
      elsewhereHint(address, apps) ??
        `app-sim opens only ${urls} and registered redirect addresses: give the app's address with --app URL`,
    );
  }
  if (!isFull && apps.length > 1) {
    throw new UsageError(
      "start-ambiguous",
      "several apps are configured, so it is not clear whose login link this is",
      `give its full address, at one of ${urls}`,
    );
  }
  return { app, url: joinUrl(app.url, start) };
}

/** What is likely meant by a start that is not at the app; null: nobody knows. */
function elsewhereHint(start: URL, apps: readonly App[]): string | null {
  if (start.pathname.endsWith("/oauth/authorize"))
    return `is that the platform's page? --start is the address of the app that sends the user there, such as /login; if it is the app's, say so with --app ${start.origin}`;
  const twin = new URL(start);
  twin.protocol = start.protocol === "https:" ? "http:" : "https:";
  const app = apps.find((candidate) => isAppAddress(candidate, twin));
  if (app === undefined) return null;
  return `it differs from the app's address, ${app.url}, by ${start.protocol}// alone: --start ${shellWord(start.pathname + start.search)}`;
}

/**
 * The full address of a page of the app.
 * @throws UsageError for an address elsewhere
 */
export function findPage(app: App, page: string): string {
  const url = joinUrl(app.url, page);
  if (isAppAddress(app, new URL(url))) return url;
  throw new UsageError(
    "use-elsewhere",
    `${new URL(url).origin} is not an address of the app`,
    `app-sim opens only ${app.url} and registered redirect addresses`,
  );
}
