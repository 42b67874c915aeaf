import type { Answer } from "../app-client/read-answer.ts";
import { addressText, isPlatformAddress, missingSettingHint } from "../browser/addresses.ts";
import { pageTrouble } from "../browser/fill-form.ts";
import { getRequest } from "../browser/form-request.ts";
import {
  type CookieChange,
  createHttpBrowser,
  endlessRedirects,
  type HttpBrowser,
  type HttpBrowserOptions,
  type LeadingPage,
  MOST_REDIRECTS,
} from "../browser/http-browser.ts";
import { readHtml } from "../browser/read-html.ts";
import type { App } from "../config/schema.ts";
import { headerValue } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { mediaType } from "../protocol/media-type.ts";
import { isAppAddress } from "./app-addresses.ts";
import type { LoginLanding } from "./checks/login-facts.ts";

/** A browser without scripts and with its own cookies, for one login. */
export interface LoginBrowser extends Pick<HttpBrowser, "cookies"> {
  /**
   * Opens an address of the app and follows redirects within the app (hardening S18), up to a page or to an address of
   * the platform, which it does not call.
   * @param from the page that leads there; or an address that sends no referrer, such as the platform's
   */
  open(url: string, from: LeadingPage | string): Promise<LoginLanding>;
  /** Ids of all its exchanges. */
  readonly exchanges: ReadonlySet<string>;
  /** Creates another browser with the same cookies, or with what a change makes of them. */
  fork(context: SimulatorContext, change?: CookieChange): Promise<LoginBrowser>;
}

/** Long, because the app may have to wait for the platform before it answers. */
const PAGE_TIMEOUT_MS = 30_000;
const PAGE_LIMIT_BYTES = 5 * 1_048_576;
/** How much of the visible text of a page is kept. */
const TEXT_CHARACTERS = 20_000;

/** Creates a browser that opens pages of this app only. */
export function createLoginBrowser(context: SimulatorContext, app: App): Promise<LoginBrowser> {
  return loginBrowserWith(context, app, createHttpBrowser);
}

async function loginBrowserWith(
  context: SimulatorContext,
  app: App,
  create: (options: HttpBrowserOptions) => Promise<HttpBrowser>,
): Promise<LoginBrowser> {
  const exchanges = new Set<string>();
  const isPlatform = (address: URL) => isPlatformAddress(context.baseUrl(), address);
  const browser = await create({
    context,
    purpose: "visit",
    module: null,
    mayRequest: (address) => isAppAddress(app, address) && !isPlatform(address),
    timeoutMs: () => PAGE_TIMEOUT_MS,
    maxAnswerBytes: PAGE_LIMIT_BYTES,
    onExchange: (id) => exchanges.add(id),
  });

  const openPage = async (first: string, from: LeadingPage | string): Promise<LoginLanding> => {
    let next = first;
    for (let refreshes = 0; refreshes <= MOST_REDIRECTS; refreshes += 1) {
      const landing = await browser.open(getRequest(next), from);
      if (landing.kind === "trouble") return landing;
      const { url } = landing.request;
      if (landing.kind === "outside") {
        return isPlatform(new URL(url)) ? { kind: "platform", url } : outside(new URL(url), context);
      }
      const { refresh, page } = await readPage(landing.answer, url);
      if (refresh === null || refresh === url) return page;
      next = refresh;
    }
    return { kind: "trouble", ...endlessRedirects };
  };

  return {
    open: openPage,
    cookies: browser.cookies,
    exchanges,
    fork: (others, change) => loginBrowserWith(others, app, (options) => browser.fork(options, change)),
  };
}

/** The page in an answer, and the address that it goes on to by itself. */
async function readPage(answer: Answer, url: string): Promise<{ refresh: string | null; page: LoginLanding }> {
  const { status, body, headers } = answer;
  const type = mediaType(headerValue(headers, "content-type"));
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const html = isHtml ? readHtml(answer, url) : null;
  const content = Buffer.from(body).toString("utf8");
  const visible = (html?.text ?? (isHtml ? "" : content)).slice(0, TEXT_CHARACTERS);
  const text = visible.replaceAll(/\s+/g, " ").trim();
  return {
    refresh: html?.refresh ?? null,
    page: { kind: "page", url, status, text, body: content, links: html?.links.map(({ href }) => href) ?? [] },
  };
}

function outside(address: URL, { baseUrl, config }: SimulatorContext): LoginLanding {
  const reason = `the app sends the user to ${addressText(address)}, which is neither the app nor the platform`;
  const fixedUrl = `give the app the PLATFORM_AUTH_URL that \`app-sim env\` prints: ${baseUrl()}`;
  // `app-sim env` cannot know which free port is taken.
  const changingUrl = `the platform is at ${baseUrl()} this time: give the app that as its PLATFORM_AUTH_URL, or the platform a fixed port`;
  const missing = missingSettingHint(address, false, baseUrl());
  if (missing !== null) return { kind: "trouble", ...pageTrouble(reason, missing) };
  const hint = !/\/oauth\/authorize\/?$/.test(address.pathname)
    ? "app-sim opens only the app's url and its registered redirect addresses"
    : config.port === 0
      ? changingUrl
      : fixedUrl;
  return { kind: "trouble", ...pageTrouble(reason, hint) };
}
