import { callApp } from "../app-client/call-app.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { explainStatus } from "../app-client/read-answer.ts";
import { destinationOf } from "../guard/visit/guard-callback.ts";
import type { PageVisit, VisitTrouble } from "../guard/visit/page-visit.ts";
import { headerValue } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { mediaType } from "../protocol/media-type.ts";
import { addressText } from "../protocol/url.ts";
import { NEEDS_BROWSER } from "./choose-button.ts";
import { createCookies } from "./cookies.ts";
import type { PageRequest } from "./form-request.ts";
import { type HtmlPage, readHtmlPage } from "./html-page.ts";
import { pageHeaders } from "./page-headers.ts";
import { MOST_REDIRECTS, redirectOf } from "./redirects.ts";

/** Where a request for a page led to. */
type Arrived =
  | { readonly kind: "page"; readonly page: HtmlPage }
  | {
      readonly kind: "callback";
      readonly url: URL;
      readonly domain: string;
      /** Status of the redirect that led there; null: something else did. */
      readonly status: number | null;
    }
  | ({ readonly kind: "trouble" } & VisitTrouble);

/** A browser without scripts, for one visit; its cookies go with it. */
export interface PageClient {
  /**
   * Asks for a page and follows the app's redirects, within the app (hardening S18), until there is a page or the
   * guard callback, which it does not call.
   * @param from the page that leads there; null: the platform
   */
  open(request: PageRequest, from: HtmlPage | null): Promise<Arrived>;
}

/** Our own time limit for one page, which the interface does not mention. */
const PAGE_TIMEOUT_MS = 10_000;
/** Time limits are whole multiples of this, because people read them. */
const TENTH_MS = 100;

/** Makes the client of a visit. */
export async function createPageClient(context: SimulatorContext, visit: PageVisit): Promise<PageClient> {
  const jar = await createCookies();
  const { interaction } = visit;

  const send = async (request: PageRequest, from: HtmlPage | null) => {
    const cookies = await jar.headerFor(request.url);
    const called = await callApp({ ...context, signal: interaction.signal }, "guard-page", interaction.guard.key, {
      method: request.method,
      url: request.url,
      headers: pageHeaders(request, from, visit.whereabouts.platform, cookies),
      body: request.body,
      timeoutMs: pageTimeout(visit.timeLeft()),
      sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
    });
    interaction.visited(called.record.id);
    if (called.ok) await jar.keep(called.answer, request.url);
    return called;
  };

  const open = async (first: PageRequest, from: HtmlPage | null): Promise<Arrived> => {
    let request = first;
    let status: number | null = null;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const url = new URL(request.url);
      const destination = destinationOf(url, visit.whereabouts);
      if (destination.kind === "callback") {
        const { domain } = destination;
        return request.method === "GET" ? { kind: "callback", url, domain, status } : postedCallback(status);
      }
      if (destination.kind === "wrong-callback") return trouble(destination.reason, destination.hint);
      if (destination.kind === "elsewhere") return elsewhere(url);
      const called = await send(request, from);
      if (!called.ok) return { kind: "trouble", reason: called.reason, hint: called.hint, failure: called.failure };
      const next = redirectOf(called.answer, request);
      if (next === null) return arrive(called.answer, request, from, visit);
      if (next === "invalid") return nowhere(called.answer);
      request = next;
      status = called.answer.status;
    }
    return trouble(
      `the app's page redirects more than ${MOST_REDIRECTS} times`,
      "does it need a cookie that it does not get? `app-sim log` shows every step",
    );
  };

  return { open };
}

function pageTimeout(timeLeftMs: number): number {
  return Math.min(PAGE_TIMEOUT_MS, Math.max(TENTH_MS, timeLeftMs - (timeLeftMs % TENTH_MS)));
}

async function arrive(answer: Answer, request: PageRequest, from: HtmlPage | null, visit: PageVisit): Promise<Arrived> {
  const { status, body } = answer;
  const { method, url } = request;
  const type = mediaType(headerValue(answer.headers, "content-type"));
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const page = isHtml || type === "" ? await readHtmlPage(answer, url) : null;
  if (page === null && isHtml) return trouble("the app's page nests its elements too deeply to be read", null);
  if (status >= 200 && status < 300 && page !== null && body.length > 0) return { kind: "page", page };
  const { reason, hint } = explainStatus(answer, method === "GET" ? "token" : "none");
  const where = `${method} ${addressText(new URL(url))}`;
  if (status >= 300) {
    const says = page === null || page.text === "" ? [] : [`the page says: ${visit.quote(page.text)}`];
    const lost = status === 401 || status === 403 ? lostParameters(request, from) : [];
    const cause = lost.length === 0 ? hint : `the form's action lost the ${lost.join(" and ")} of the page's address`;
    return trouble(`${reason} (${where})`, [...says, ...(cause === null ? [] : [cause])].join("; ") || null);
  }
  const what = body.length === 0 ? "an empty body" : visit.quote(type);
  return trouble(`${reason} with ${what}, expected an HTML page or a redirect (${where})`, null);
}

/** What the page was given in its address, and its form neither has in its own nor sends along. */
function lostParameters({ method, url, body }: PageRequest, from: HtmlPage | null): string[] {
  if (method !== "POST" || from === null) return [];
  const given = new URL(from.url).searchParams;
  const { searchParams } = new URL(url);
  return ["jwtToken", "state"].filter((name) => {
    const value = given.get(name);
    return value !== null && !searchParams.has(name) && !Buffer.from(body).includes(value);
  });
}

function nowhere({ status }: Answer): Arrived {
  return trouble(
    `the app answered ${status}, but no address to go on to`,
    "the header Location holds it, in full or relative to the page",
  );
}

function postedCallback(status: number | null): Arrived {
  return trouble(
    status === null
      ? "the app's form posts to the guard callback, which is a GET"
      : `the app answered the form with ${status}, by which a browser posts the form to the guard callback`,
    "answer with HTTP 302 (interface 4.2)",
  );
}

function elsewhere(url: URL): Arrived {
  if (!/^https?:$/.test(url.protocol)) {
    return trouble(`the app's page leads to ${addressText(url)}, which is no web address`, NEEDS_BROWSER);
  }
  return trouble(
    `the app's page leads to another site, ${addressText(url)}`,
    "--fill stays with the app; --browser goes wherever a person would be led",
  );
}

function trouble(reason: string, hint: string | null): Arrived {
  return { kind: "trouble", reason, hint, failure: "other" };
}
