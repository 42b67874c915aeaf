import type { CookieJar } from "tough-cookie";
import { callApp } from "../app-client/call-app.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { type ExchangePurpose, type HeaderLines, headerValue } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { parseUrl } from "../protocol/url.ts";
import { readSetCookie, whyNotStored } from "./cookies.ts";
import { type PageTrouble, pageTrouble } from "./fill-form.ts";
import { getRequest, type PageRequest } from "./form-request.ts";
import type { HtmlPage } from "./html-page.ts";
import { siteOf } from "./site-of.ts";

/** How many redirects a browser follows before it gives up. */
export const MOST_REDIRECTS = 10;

/** Options of a browser over HTTP. */
export interface HttpBrowserOptions {
  readonly context: SimulatorContext;
  /** The purpose of its recorded exchanges. */
  readonly purpose: ExchangePurpose;
  /** Key of the module that its exchanges belong to; null if none. */
  readonly module: string | null;
  /** Whether an address may be requested (hardening S18). Any other is left to the caller. */
  mayRequest(url: URL): boolean;
  /** Time limit of the next request, in milliseconds. */
  timeoutMs(): number;
  readonly maxAnswerBytes: number;
  /** Called for every exchange with its id in the journal. */
  onExchange(id: string): void;
}

/** Where a request led. */
export type Landing =
  /** An answer that is not a redirect; `request` is the one that it answers. */
  | { readonly kind: "answer"; readonly answer: Answer; readonly request: PageRequest }
  /** A request that was not made; `status` is that of the redirect that led to it, null if none did. */
  | { readonly kind: "outside"; readonly request: PageRequest; readonly status: number | null }
  | ({ readonly kind: "trouble" } & PageTrouble);

/** What a browser reveals about the page that it comes from. */
export type LeadingPage = Pick<HtmlPage, "url" | "referrerPolicy">;

/** A browser without scripts, with cookies of its own. */
export interface HttpBrowser {
  /**
   * Makes a request and follows redirects as long as the addresses may be requested.
   * @param from the page that leads there; or an address that sends no Referer, such as the platform's
   */
  open(request: PageRequest, from: LeadingPage | string): Promise<Landing>;
  /** Names of the cookies that it has, oldest first. */
  cookieNames(): readonly string[];
  /** Creates another browser with the same cookies, or with what a change makes of them. */
  fork(options: HttpBrowserOptions, change?: CookieChange): Promise<HttpBrowser>;
}

/** The new value of a cookie; null removes the cookie. */
export type CookieChange = (name: string, value: string) => string | null;

/** Creates a browser without cookies. */
export async function createHttpBrowser(options: HttpBrowserOptions): Promise<HttpBrowser> {
  // Loaded here because most runs open no page.
  const { CookieJar } = await import("tough-cookie");
  return browserWith(new CookieJar(undefined, { looseMode: true, allowSpecialUseDomain: true }), options);
}

function browserWith(jar: CookieJar, options: HttpBrowserOptions): HttpBrowser {
  const { context, purpose, module } = options;
  const cookieNames = new Set<string>();

  const keepCookies = async ({ headers }: Answer, url: string) => {
    for (const [name, value] of headers) {
      if (name.toLowerCase() !== "set-cookie" || whyNotStored(readSetCookie(value)) !== null) continue;
      const cookie = await jar.setCookie(value, url, { ignoreError: true });
      if (cookie !== undefined) cookieNames.add(cookie.key);
    }
  };

  const send = async (request: PageRequest, from: LeadingPage | string) => {
    const [page, origin] = typeof from === "string" ? [null, from] : [from, from.url];
    const called = await callApp(context, {
      purpose,
      module,
      method: request.method,
      url: request.url,
      headers: pageHeaders(request, page, origin, await jar.getCookieString(request.url)),
      body: request.body,
      timeoutMs: options.timeoutMs(),
      sizeLimit: options.maxAnswerBytes,
    });
    options.onExchange(called.record.id);
    if (called.ok) await keepCookies(called.answer, request.url);
    return called;
  };

  const open = async (first: PageRequest, from: LeadingPage | string): Promise<Landing> => {
    let request = first;
    let status: number | null = null;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      if (!options.mayRequest(new URL(request.url))) return { kind: "outside", request, status };
      const called = await send(request, from);
      if (!called.ok) return { kind: "trouble", reason: called.reason, hint: called.hint, failure: called.failure };
      const { answer } = called;
      const next = redirectOf(answer, request);
      if (next === null) return { kind: "answer", answer, request };
      if (next === "invalid") return { kind: "trouble", ...invalidRedirect(answer) };
      request = next;
      status = answer.status;
    }
    return { kind: "trouble", ...endlessRedirects };
  };

  const fork = async (others: HttpBrowserOptions, change: CookieChange = (_, value) => value) => {
    const copy = await jar.clone();
    for (const { domain, path, key } of (await jar.serialize()).cookies) {
      const cookie = await copy.store.findCookie(String(domain), String(path), String(key));
      if (cookie === undefined) continue;
      const value = change(cookie.key, cookie.value);
      if (value === null) await copy.store.removeCookie(String(domain), String(path), String(key));
      else cookie.value = value;
    }
    return browserWith(copy, others);
  };

  return { open, cookieNames: () => [...cookieNames], fork };
}

/** The request that a redirect asks for, as a browser makes it; null if the answer is not a redirect. */
function redirectOf(answer: Answer, { method, url, body, contentType }: PageRequest): PageRequest | "invalid" | null {
  const { status } = answer;
  const location = headerValue(answer.headers, "location");
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  if (location === undefined) return "invalid";
  // Browsers decode the bytes of this header as UTF-8.
  const href = parseUrl(Buffer.from(location, "latin1").toString(), url)?.href;
  if (href === undefined) return "invalid";
  const isKept = method === "GET" || status === 307 || status === 308;
  return isKept ? { method, url: href, body, contentType } : getRequest(href);
}

function invalidRedirect({ status }: Answer): PageTrouble {
  return pageTrouble(
    `the app answered ${status}, a redirect without a valid address`,
    "put the address into the Location header, in full or relative to the page",
  );
}

/** The trouble with an endless redirect. */
export const endlessRedirects = pageTrouble(
  `the app redirects more than ${MOST_REDIRECTS} times`,
  "does it need a cookie that it does not receive? `app-sim log` shows every step",
);

/**
 * The header lines of a request that a browser makes for a page.
 * @param from the page that leads there; null: an address that sends no referrer, such as the platform
 * @param cookies for the Cookie header; may be empty
 */
export function pageHeaders(
  { method, url, contentType }: PageRequest,
  from: LeadingPage | null,
  platform: string,
  cookies: string,
): HeaderLines {
  const referrer = from === null ? null : referrerOf(from, new URL(url));
  const given: [name: string, value: string | null][] = [
    ["User-Agent", "app-sim"],
    ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"],
    ["Accept-Language", "en"],
    ["Accept-Encoding", "identity"],
    ["Origin", method === "POST" && from !== null ? originOf(from, new URL(url)) : null],
    ["Content-Type", contentType],
    ["Referer", referrer],
    ["Cookie", cookies === "" ? null : cookies],
    ["Upgrade-Insecure-Requests", "1"],
    ["Sec-Fetch-Site", siteOf(new URL(from?.url ?? platform), new URL(url))],
    ["Sec-Fetch-Mode", "navigate"],
    ["Sec-Fetch-User", "?1"],
    ["Sec-Fetch-Dest", "document"],
  ];
  return given.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** A page that hides its address there hides its origin too (Fetch standard, "append a request Origin header"). */
function originOf({ url, referrerPolicy }: LeadingPage, to: URL): string {
  const { origin } = new URL(url);
  const isHidden = referrerPolicy === "no-referrer" || (referrerPolicy === "same-origin" && origin !== to.origin);
  return isHidden ? "null" : origin;
}

/** As much of the page's address as its policy reveals there (Referrer Policy, 8.3). */
function referrerOf({ url, referrerPolicy }: LeadingPage, to: URL): string | null {
  const from = new URL(url);
  from.hash = "";
  const isSame = from.origin === to.origin;
  const isDowngrade = from.protocol === "https:" && to.protocol === "http:";
  const origin = `${from.origin}/`;
  const beforeDowngrade = <T>(seen: T) => (isDowngrade ? null : seen);
  switch (referrerPolicy) {
    case "no-referrer":
      return null;
    case "unsafe-url":
      return from.href;
    case "no-referrer-when-downgrade":
      return beforeDowngrade(from.href);
    case "same-origin":
      return isSame ? from.href : null;
    case "origin":
      return origin;
    case "strict-origin":
      return beforeDowngrade(origin);
    case "origin-when-cross-origin":
      return isSame ? from.href : origin;
    default:
      return isSame ? from.href : beforeDowngrade(origin);
  }
}
