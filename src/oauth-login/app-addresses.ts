import type { App, Config } from "../config/schema.ts";
import { shellWord } from "../output/shell-word.ts";
import { isHttpUrl, isSamePlace, joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { OAuthLoginOptions } from "./oauth-login-options.ts";

/** Whether an address belongs to the app: to its url or one of its registered redirect addresses (hardening S18, S29). */
export function isAppAddress({ url, redirectUris }: App, address: URL): boolean {
  return [url, ...redirectUris].some((own) => isHttpUrl(own) && isSamePlace(address, new URL(own)));
}

/** Where a login starts, and the page on which its token is used. */
interface LoginAddresses {
  readonly start: string;
  readonly use: string | undefined;
}

/**
 * The addresses of a login: the given ones, or else the setting `verify.oauth`.
 * @throws UsageError if neither says where the login starts
 */
export function loginAddresses({ verify }: Config, { start, use }: OAuthLoginOptions): LoginAddresses {
  if (start !== undefined) return { start, use };
  if (verify.oauth !== null) return { start: verify.oauth.start, use: use ?? verify.oauth.use };
  throw new UsageError(
    "start-missing",
    "it is not known where the login starts: give --start, or verify.oauth.start in the configuration",
    'give the address of your app\'s login button, such as --start /login, or set it for every command in the config file: "verify": {"oauth": {"start": "/login"}}',
  );
}

/** How many links of a page may begin a login. */
const MOST_LOGIN_LINKS = 3;

/** Those of a page's links to its own app that, by their paths, may begin a login. */
export function loginLinks({ url, links }: { readonly url: string; readonly links: readonly string[] }): string[] {
  const own = links.filter((link) => isSamePlace(new URL(link), new URL(url)) && link !== url);
  const likely = own.filter((link) => /log-?in|sign-?in|auth|connect/i.test(new URL(link).pathname));
  const pathOf = (link: string) => new URL(link).pathname;
  const distinct = likely.filter((link, index) => likely.findIndex((each) => pathOf(each) === pathOf(link)) === index);
  return distinct.slice(0, MOST_LOGIN_LINKS);
}

/**
 * The app whose login link is opened, and the link's full URL.
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
      `give its full URL, at one of ${urls}`,
    );
  }
  return { app, url: joinUrl(app.url, start) };
}

/** The hint for a start that is not at the app; null: no idea. */
function elsewhereHint(start: URL, apps: readonly App[]): string | null {
  if (start.pathname.endsWith("/oauth/authorize"))
    return `is that the platform's page? --start is the page of the app that sends the user there, such as /login; if it is the app's, add --app ${start.origin}`;
  const twin = new URL(start);
  twin.protocol = start.protocol === "https:" ? "http:" : "https:";
  const app = apps.find((candidate) => isAppAddress(candidate, twin));
  if (app === undefined) return null;
  return `it differs from the app's address, ${app.url}, only in ${start.protocol}//: use --start ${shellWord(start.pathname + start.search)}`;
}

/**
 * The full URL of a page of the app.
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
