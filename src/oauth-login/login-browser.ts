import type { Answer } from "../app-client/read-answer.ts";
import { addressText, isPlatformAddress, missingSettingHint } from "../browser/addresses.ts";
import { chooseButton, pageTrouble } from "../browser/fill-form.ts";
import { formRequest, getRequest, type PageRequest } from "../browser/form-request.ts";
import { onlyLeadsOn } from "../browser/html-form.ts";
import type { HtmlPage } from "../browser/html-page.ts";
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
export interface LoginBrowser extends Pick<HttpBrowser, "cookieNames"> {
  /**
   * ⏎ Opens an address of the app and follows redirects within the app (hardening S18), up to a page or to an address
   * of the platform, which it does not call.
   * @param from the page that leads there; or an address that sends no Referer, such as the platform's
   */
  open(url: string, from: LeadingPage | string): Promise<LoginLanding>;
  /**
   * Submits the form of the current page, if there is one that continues by its button alone.
   * @returns where that leads; null: the page has no such form, or several
   */
  press(): Promise<LoginLanding | null>;
  /** Ids of all its exchanges. */
  readonly exchanges: ReadonlySet<string>;
  /** Creates another browser with the same or changed cookies. */
  fork(context: SimulatorContext, change?: CookieChange): Promise<LoginBrowser>;
}

/** Long, because the app may have to wait for the platform before it answers. */
const PAGE_TIMEOUT_MS = 30_000;
const PAGE_LIMIT_BYTES = 5 * 1_048_576;
/** How much of a page's visible text is kept. */
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

  let shown: HtmlPage | null = null;

  const openPage = async (first: PageRequest, from: LeadingPage | string): Promise<LoginLanding> => {
    let next = first;
    shown = null;
    for (let refreshes = 0; refreshes <= MOST_REDIRECTS; refreshes += 1) {
      const landing = await browser.open(next, from);
      if (landing.kind === "trouble") return landing;
      const { url } = landing.request;
      if (landing.kind === "outside") {
        return isPlatform(new URL(url)) ? { kind: "platform", url } : outside(new URL(url), context);
      }
      const { html, page } = readPage(landing.answer, url);
      shown = html;
      const refresh = html?.refresh ?? null;
      if (refresh === null || refresh === url) return page;
      next = getRequest(refresh);
    }
    return { kind: "trouble", ...endlessRedirects };
  };

  return {
    open: (url, from) => openPage(getRequest(url), from),
    press: async () => {
      const request = shown === null ? null : leadingRequest(shown, context.ids.secret());
      return shown === null || request === null ? null : openPage(request, shown);
    },
    cookieNames: browser.cookieNames,
    exchanges,
    fork: (others, change) => loginBrowserWith(others, app, (options) => browser.fork(options, change)),
  };
}

/** The request of the page's only form that continues by its button alone; null: it has none, or several. */
function leadingRequest({ forms }: HtmlPage, boundary: string): PageRequest | null {
  const [form, ...others] = forms.filter(onlyLeadsOn);
  if (form === undefined || others.length > 0) return null;
  const chosen = chooseButton(form, []);
  const made = chosen.ok ? formRequest(form, chosen.button, boundary) : null;
  return made?.ok === true ? made.request : null;
}

/** The page in an answer; its HTML is null if it is not a page. */
function readPage(answer: Answer, url: string): { html: HtmlPage | null; page: LoginLanding } {
  const { status, body, headers } = answer;
  const type = mediaType(headerValue(headers, "content-type"));
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const html = isHtml ? readHtml(answer, url) : null;
  const content = Buffer.from(body).toString("utf8");
  const visible = (html?.text ?? (isHtml ? "" : content)).slice(0, TEXT_CHARACTERS);
  const text = visible.replaceAll(/\s+/g, " ").trim();
  return {
    html,
    page: { kind: "page", url, status, text, body: content, links: html?.links.map(({ href }) => href) ?? [] },
  };
}

function outside(address: URL, { baseUrl, config }: SimulatorContext): LoginLanding {
  const reason = `the app sends the user to ${addressText(address)}, which is neither the app nor the platform`;
  const fixedUrl = `give the app the PLATFORM_AUTH_URL that \`app-sim env\` prints: ${baseUrl()}`;
  // `app-sim env` cannot know which free port is used.
  const changingUrl = `this time the platform is at ${baseUrl()}: give the app that PLATFORM_AUTH_URL, or the platform a fixed port`;
  const missing = missingSettingHint(address, false, baseUrl());
  if (missing !== null) return { kind: "trouble", ...pageTrouble(reason, missing) };
  const hint = !/\/oauth\/authorize\/?$/.test(address.pathname)
    ? "app-sim opens only the app's url and its registered redirect addresses"
    : config.port === 0
      ? changingUrl
      : fixedUrl;
  return { kind: "trouble", ...pageTrouble(reason, hint) };
}
