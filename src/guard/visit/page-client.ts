import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { explainStatus } from "../../app-client/explain-status.ts";
import type { Answer } from "../../app-client/read-answer.ts";
import { addressText, signInHint } from "../../browser/addresses.ts";
import { lostCookie } from "../../browser/cookies.ts";
import { NEEDS_BROWSER, type PageTrouble, pageTrouble } from "../../browser/fill-form.ts";
import type { PageRequest } from "../../browser/form-request.ts";
import type { HtmlPage } from "../../browser/html-page.ts";
import { createHttpBrowser, type Landing } from "../../browser/http-browser.ts";
import { readHtml } from "../../browser/read-html.ts";
import { headerValue } from "../../journal/exchange.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../../protocol/limits.ts";
import { mediaType } from "../../protocol/media-type.ts";
import {
  FORM_ANSWER,
  lostByRedirectHint,
  lostParameters,
  lostParametersHint,
  mayMissSomething,
} from "./lost-parameters.ts";
import { destinationOf, type PageVisit, postedCallback, requestFacts } from "./page-visit.ts";

/** The outcome of a request for a page of a guard. */
export type PageOutcome =
  | { readonly kind: "page"; readonly page: HtmlPage }
  | {
      readonly kind: "callback";
      readonly url: URL;
      readonly domain: string | null;
      /** Status of the redirect that led there; null: it was not a redirect. */
      readonly status: number | null;
    }
  | ({ readonly kind: "trouble" } & PageTrouble);

/**
 * Requests a page and follows redirects within the app (hardening S18), to a page or to the guard callback, which is
 * not called.
 * @param from the page that leads there; null: the platform
 */
export type OpenPage = (request: PageRequest, from: HtmlPage | null) => Promise<PageOutcome>;

/** Our own time limit for one page; the interface mentions none. */
const PAGE_TIMEOUT_MS = 10_000;
/** Time limits are multiples of this, so that they read well. */
const TENTH_MS = 100;

/** Creates the browser of a visit. */
export async function createPageOpener(context: SimulatorContext, visit: PageVisit): Promise<OpenPage> {
  const { interaction } = visit;
  const seen: string[] = [];
  const { open: openAddress } = await createHttpBrowser({
    context: { ...context, signal: interaction.signal },
    purpose: "guard-page",
    module: interaction.guard.key,
    mayRequest: (url) => destinationOf(url, visit.login).kind === "app",
    timeoutMs: () => pageTimeout(visit.timeLeft()),
    maxAnswerBytes: SMALL_ANSWER_LIMIT_BYTES,
    onExchange: (id) => {
      seen.push(id);
      interaction.visited(id);
    },
  });
  return async (request, from) => {
    const before = seen.map((id) => context.journal.find(id)).filter((record) => record?.type === "exchange");
    const unsent = lostCookie(before, new URL(request.url));
    const landing = await openAddress(request, from ?? visit.login.platform);
    if (landing.kind === "answer") return readAnswer(landing, request, { from, unsent }, visit);
    return landing.kind === "outside" ? outside(landing, visit) : landing;
  };
}

function pageTimeout(timeLeftMs: number): number {
  return Math.min(PAGE_TIMEOUT_MS, Math.max(TENTH_MS, timeLeftMs - (timeLeftMs % TENTH_MS)));
}

async function readAnswer(
  { answer, request }: Landing & { kind: "answer" },
  sent: PageRequest,
  { from, unsent }: { readonly from: HtmlPage | null; readonly unsent: string | null },
  visit: PageVisit,
): Promise<PageOutcome> {
  const { status, body } = answer;
  const { method, url } = request;
  const type = mediaType(headerValue(answer.headers, "content-type"));
  const isHtml = type === "text/html" || type === "application/xhtml+xml";
  const page = isHtml || type === "" ? readHtml(answer, url) : null;
  if (page === null && isHtml) return trouble("the app's page has too many or too deeply nested elements", null);
  if (status >= 200 && status < 300 && page !== null && body.length > 0) return { kind: "page", page };
  const facts = { ...requestFacts(visit.facts, request, from === null), method, contentType: request.contentType };
  const { reason, hint } = explainStatus(answer, facts);
  const where = `${method} ${addressText(new URL(url))}`;
  if (status >= 300) {
    const ofRedirect =
      from === null
        ? (signInHint(new URL(sent.url), new URL(url)) ?? lostByRedirectHint(status, new URL(sent.url), new URL(url)))
        : null;
    const says = page === null || page.text === "" ? [] : [`the page says: ${visit.quote(page.text)}`];
    // A GET after a redirect has the address that the app chose, not the form's.
    const form = request.method === "POST" || request.url === sent.url ? from : null;
    const ofForm =
      form &&
      (unsentHint(answer, unsent) ??
        hiddenOriginHint(
          answer,
          form,
          lostParametersHint(answer.status, request, { url: new URL(form.url), html: form }),
        ) ??
        crashHint(hint, lostParameters(request, new URL(form.url))));
    const cause = ofForm ?? hint;
    return trouble(
      `${reason} (${where})`,
      [...says, ...[ofRedirect ?? cause].filter((each) => each !== null)].join("; ") || null,
    );
  }
  const what = body.length === 0 ? "an empty body" : visit.quote(type);
  const hasLocation = headerValue(answer.headers, "location") !== undefined;
  const redirects = `answer with 302: with ${status}, a browser does not go to the Location`;
  const leads = from !== null && /json/.test(type) ? jsonAnswerHint(from) : null;
  return trouble(
    `${reason} with ${what}, expected an HTML page or a redirect (${where})`,
    hasLocation ? redirects : leads,
  );
}

/** An app that answers a form as if a script had sent it. */
function jsonAnswerHint({ hasScripts }: HtmlPage): string {
  return hasScripts ? NEEDS_BROWSER : FORM_ANSWER;
}

/**
 * An app that fails on a form may miss what the form lost, or have no address to send its user back to; null: its
 * answer says what is wrong.
 */
function crashHint(hint: string | null, lost: readonly string[]): string | null {
  if (hint !== OWN_LOG) return null;
  return lost.length === 0
    ? `${OWN_LOG}; does it have the PLATFORM_AUTH_URL that \`app-sim env\` prints, to send the user back?`
    : `${OWN_LOG}; does its handler need the ${lost.join(" and ")} of the page's address? The form does not send ${lost.length === 1 ? "it" : "them"}`;
}

/** A refused form may lack a cookie that its page set but the browser does not send. */
function unsentHint({ status }: Answer, unsent: string | null): string | null {
  return unsent !== null && mayMissSomething(status) ? `${unsent}: it was not sent with the form` : null;
}

const HIDDEN_ORIGIN =
  "does the app's CSRF check refuse Origin: null? The page's Referrer-Policy, no-referrer, makes browsers send that with its form: use same-origin";

/** The statuses with which CSRF checks refuse a form. That of Rails, 422, also stands for a form with a mistake in it. */
const csrfStatuses = [403, 419];

/** A page that hides its origin, although the app may refuse forms of unknown origin. @param other the hint otherwise */
function hiddenOriginHint({ status }: Answer, { referrerPolicy }: HtmlPage, other: string | null): string | null {
  if (referrerPolicy !== "no-referrer") return other;
  if (csrfStatuses.includes(status)) return HIDDEN_ORIGIN;
  if (status !== 422) return other;
  return other === null ? HIDDEN_ORIGIN : `${HIDDEN_ORIGIN}; or ${other}`;
}

/** The guard callback, or an address that a visit over HTTP does not follow. */
function outside({ request, status }: Landing & { kind: "outside" }, visit: PageVisit): PageOutcome {
  const url = new URL(request.url);
  const destination = destinationOf(url, visit.login);
  if (destination.kind === "wrong-callback") return trouble(destination.reason, destination.hint);
  if (destination.kind === "callback") {
    if (request.method === "GET") return { kind: "callback", url, domain: destination.domain, status };
    return { kind: "trouble", ...postedCallback(status) };
  }
  if (!/^https?:$/.test(url.protocol)) {
    return trouble(`the app's page leads to ${addressText(url)}, which is not an http(s) address`, NEEDS_BROWSER);
  }
  return trouble(
    `the app's page leads to another site, ${addressText(url)}`,
    "--fill does not leave the app; --browser goes wherever a person would",
  );
}

function trouble(reason: string, hint: string | null): PageOutcome {
  return { kind: "trouble", ...pageTrouble(reason, hint) };
}
