import { callApp } from "../app-client/call-app.ts";
import type { Answer } from "../app-client/read-answer.ts";
import type { ExchangePurpose } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { createCookies, type SetCookie } from "./cookies.ts";
import type { PageRequest } from "./form-request.ts";
import type { HtmlPage } from "./html-page.ts";
import { pageHeaders } from "./page-headers.ts";
import { type PageTrouble, pageTrouble } from "./page-work.ts";
import { MOST_REDIRECTS, redirectOf } from "./redirects.ts";

/** What a browser over HTTP is made with. */
export interface HttpBrowserOptions {
  readonly context: SimulatorContext;
  /** What its exchanges are recorded as. */
  readonly purpose: ExchangePurpose;
  /** Key of the module that its exchanges belong to; null: none. */
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
  /** A request that was not made; `status` is that of the redirect that led to it, null: none did. */
  | { readonly kind: "outside"; readonly request: PageRequest; readonly status: number | null }
  | ({ readonly kind: "trouble" } & PageTrouble);

/** A browser without scripts, with cookies of its own. */
export interface HttpBrowser {
  /**
   * Makes a request and follows redirects as long as the addresses may be requested.
   * @param from the page that leads there; or an address that sends no referrer, such as the platform's
   */
  open(request: PageRequest, from: HtmlPage | string): Promise<Landing>;
  /** The cookies that were set so far, oldest first. */
  cookies(): readonly SetCookie[];
}

/** Creates a browser without cookies. */
export async function createHttpBrowser(options: HttpBrowserOptions): Promise<HttpBrowser> {
  const { context, purpose, module } = options;
  const jar = await createCookies();

  const send = async (request: PageRequest, from: HtmlPage | string) => {
    const [page, origin] = typeof from === "string" ? [null, from] : [from, from.url];
    const called = await callApp(context, purpose, module, {
      method: request.method,
      url: request.url,
      headers: pageHeaders(request, page, origin, await jar.headerFor(request.url)),
      body: request.body,
      timeoutMs: options.timeoutMs(),
      sizeLimit: options.maxAnswerBytes,
    });
    options.onExchange(called.record.id);
    if (called.ok) await jar.keep(called.answer, request.url);
    return called;
  };

  const open = async (first: PageRequest, from: HtmlPage | string): Promise<Landing> => {
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

  return { open, cookies: jar.list };
}

function invalidRedirect({ status }: Answer): PageTrouble {
  return pageTrouble(
    `the app answered ${status}, but no address to go on to`,
    "the header Location holds it, in full or relative to the page",
  );
}

const endlessRedirects = pageTrouble(
  `the app redirects more than ${MOST_REDIRECTS} times`,
  "does it need a cookie that it does not get? `app-sim log` shows every step",
);
