import { callApp } from "../app-client/call-app.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { addressText } from "../browser/addresses.ts";
import { getRequest, type PageRequest } from "../browser/form-request.ts";
import { readHtmlPage } from "../browser/html-page.ts";
import { createCookies, MOST_REDIRECTS, pageHeaders, redirectOf, type SetCookie } from "../browser/http-browser.ts";
import type { App } from "../config/schema.ts";
import { headerValue } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { mediaType } from "../protocol/media-type.ts";
import { isAppPlace, isPlatformPlace } from "./app-places.ts";
import type { Landing } from "./checks/oauth-login-facts.ts";

/** A browser without scripts and with its own cookies, for one login. */
export interface LoginBrowser {
  /**
   * Opens an address of the app and follows redirects within the app (hardening S18), up to a page or to an address of
   * the platform, which it does not call.
   * @param from address of the page or server that led there
   */
  open(url: string, from: string): Promise<Opened>;
  cookies(): readonly SetCookie[];
}

interface Opened {
  readonly landing: Landing;
  readonly exchanges: readonly string[];
}

/** Long, because the app may have to wait for the platform before it answers. */
const PAGE_TIMEOUT_MS = 30_000;
const PAGE_LIMIT_BYTES = 5 * 1_048_576;
/** How much of the visible text of a page is kept. */
const TEXT_CHARACTERS = 20_000;

/** Creates a browser that opens pages of this app only. */
export async function createLoginBrowser(context: SimulatorContext, app: App): Promise<LoginBrowser> {
  const jar = await createCookies();

  const send = async (request: PageRequest, from: string) => {
    const called = await callApp(context, "visit", null, {
      method: request.method,
      url: request.url,
      headers: pageHeaders(request, null, from, await jar.headerFor(request.url)),
      body: request.body,
      timeoutMs: PAGE_TIMEOUT_MS,
      sizeLimit: PAGE_LIMIT_BYTES,
    });
    if (called.ok) await jar.keep(called.answer, request.url);
    return called;
  };

  const open = async (url: string, from: string): Promise<Opened> => {
    const exchanges: string[] = [];
    let request = getRequest(url);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const address = new URL(request.url);
      if (isPlatformPlace(context.baseUrl(), address)) {
        return { landing: { kind: "platform", url: request.url }, exchanges };
      }
      if (!isAppPlace(app, address)) return { landing: elsewhere(address, context), exchanges };
      const called = await send(request, from);
      exchanges.push(called.record.id);
      if (!called.ok) {
        const { reason, hint, failure } = called;
        return { landing: { kind: "trouble", reason, hint, failure }, exchanges };
      }
      const next = redirectOf(called.answer, request) ?? (await readPage(called.answer, request.url));
      if (next === "invalid") return { landing: noLocation(called.answer), exchanges };
      if ("kind" in next) return { landing: next, exchanges };
      request = next;
    }
    const reason = `the app redirects more than ${MOST_REDIRECTS} times`;
    const hint = "does it need a cookie that it does not get? `app-sim log` shows every step";
    return { landing: trouble(reason, hint), exchanges };
  };

  return { open, cookies: jar.list };
}

/** The page in an answer, or the request that the page sends by itself (`refresh`). */
async function readPage(answer: Answer, url: string): Promise<Landing | PageRequest> {
  const { status, body, headers } = answer;
  const type = mediaType(headerValue(headers, "content-type"));
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const page = isHtml ? await readHtmlPage(answer, url) : null;
  if (page?.refresh != null && page.refresh !== url) return getRequest(page.refresh);
  const content = Buffer.from(body).toString("utf8");
  const text = (page?.text ?? (isHtml ? "" : content)).slice(0, TEXT_CHARACTERS);
  return {
    kind: "page",
    url,
    status,
    text: text.replaceAll(/\s+/g, " ").trim(),
    body: content,
    links: page?.links ?? [],
  };
}

function noLocation({ status }: Answer): Landing {
  return trouble(
    `the app answered ${status} without an address to redirect to`,
    "put the address into the header Location, in full or relative to the page",
  );
}

function elsewhere(address: URL, { baseUrl, config }: SimulatorContext): Landing {
  const where = `the app sends the user to ${addressText(address)}, which is neither the app nor the platform`;
  if (/\/oauth\/authorize\/?$/.test(address.pathname)) {
    // `app-sim env` cannot know which free port is taken.
    const hint =
      config.port === 0
        ? `the platform is at ${baseUrl()} this time: give the app that as its PLATFORM_AUTH_URL, or the platform a fixed port`
        : `give the app the PLATFORM_AUTH_URL that \`app-sim env\` prints: ${baseUrl()}`;
    return trouble(where, hint);
  }
  return trouble(where, "app-sim opens only the app's url and its registered redirect addresses");
}

function trouble(reason: string, hint: string): Landing {
  return { kind: "trouble", reason, hint, failure: "other" };
}
