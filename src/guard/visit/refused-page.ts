import type { Frame, Request, Response } from "playwright-core";
import { explainStatus } from "../../app-client/explain-status.ts";
import { addressText } from "../../browser/addresses.ts";
import { type PageTrouble, pageTrouble } from "../../browser/fill-form.ts";
import { joinTexts } from "../../browser/page-elements.ts";
import { parseUrl } from "../../protocol/url.ts";
import { judgeFraming, withoutFrameOptions } from "./framing.ts";
import { lostByRedirectHint, lostParametersHint } from "./lost-parameters.ts";
import { destinationOf, isOfApp, type PageVisit, parametersHint, postedCallback, requestFacts } from "./page-visit.ts";

/** How long the page of a refusal may take to load. */
const REFUSAL_LOAD_MS = 2_000;

/** A page that could not be loaded at all. */
export async function failedPage(request: Request, error: string, { login }: PageVisit): Promise<PageTrouble> {
  const url = new URL(request.url());
  const destination = destinationOf(url, login);
  if (destination.kind === "wrong-callback") return pageTrouble(destination.reason, destination.hint);
  const where = addressText(url);
  if (error === "net::ERR_CONNECTION_REFUSED") {
    const reason = `nothing listens at ${url.origin}, where the app's page is`;
    return { reason, hint: "start the app, or set its address with --app URL", failure: "unreachable" };
  }
  if (error === "net::ERR_BLOCKED_BY_RESPONSE") {
    const headers = Object.entries((await request.response())?.headers() ?? {});
    const [refusal] = judgeFraming({ url, headers }, new URL(login.platform));
    const reason = `the browser is not allowed to show ${where} in a frame`;
    if (refusal === undefined) return pageTrouble(reason, withoutFrameOptions(new URL(login.platform)));
    return pageTrouble(`${reason}: ${refusal.reason}`, refusal.hint);
  }
  return { reason: `Chromium could not open ${where}: ${error}`, hint: null, failure: failureOf(error) };
}

function failureOf(error: string): PageTrouble["failure"] {
  if (error === "net::ERR_CONNECTION_TIMED_OUT" || error === "net::ERR_TIMED_OUT") return "timed-out";
  return /CERT|SSL|NAME_NOT_RESOLVED|ADDRESS_UNREACHABLE/.test(error) ? "unreachable" : "other";
}

/**
 * A page with an error status.
 * @param from the page whose form or link led there; null: none, or there were redirects
 */
export async function refusedPage(response: Response, from: URL | null, visit: PageVisit): Promise<PageTrouble> {
  const url = new URL(response.url());
  const frame = response.frame();
  const status = response.status();
  // The answer arrives before the frame leaves the page that it shows.
  const isThere = ({ href, protocol }: URL) => href.startsWith(url.href) || protocol === "chrome-error:";
  await frame.waitForURL(isThere, { waitUntil: "domcontentloaded", timeout: REFUSAL_LOAD_MS }).catch(() => {});
  const destination = destinationOf(url, visit.login);
  if (destination.kind === "wrong-callback") return pageTrouble(destination.reason, destination.hint);
  if (destination.kind === "callback") {
    const request = response.request();
    if (request.method() === "POST") {
      const redirect = await request.redirectedFrom()?.response();
      return postedCallback(redirect?.status() ?? null);
    }
    // The error page is the platform's own.
    const [why, hint] = await Promise.all([
      textOf(frame, ".reason", REFUSAL_LOAD_MS),
      textOf(frame, ".hint", REFUSAL_LOAD_MS),
    ]);
    // Only the frame knows the fragment.
    const has = parametersHint(parseUrl(frame.url()) ?? url);
    const hints = [has, hint.replace(/^Hint: /, "")].filter(Boolean);
    const reason = `the guard callback was refused with ${status}`;
    return pageTrouble(why === "" ? reason : `${reason}: ${why}`, hints.join("; ") || null);
  }
  const text = visit.quote(joinTexts((await textOf(frame, "body", REFUSAL_LOAD_MS)).split("\n")));
  const says = text === "" ? null : `the page says: ${text}`;
  const headers = Object.entries(response.headers());
  const request = response.request();
  const method = request.method();
  const sent = { url: url.href, body: request.postDataBuffer() ?? new Uint8Array() };
  const contentType = request.headers()["content-type"] ?? null;
  const facts = { ...requestFacts(visit.facts, sent, method === "GET"), method, contentType };
  const { reason, hint } = explainStatus({ status, headers, body: new Uint8Array() }, facts);
  const isFrame = visit.interaction.guard.type === "frame";
  const lost =
    from && isOfApp(from, visit.login)
      ? lostParametersHint(status, { ...sent, method }, { url: from, reports: isFrame })
      : null;
  // The platform's own redirect may lead to the page.
  const asked = redirectsTo(request).find((each) => isOfApp(each, visit.login));
  const lostBefore = asked === undefined ? null : lostByRedirectHint(status, asked, url);
  const hints = [says, lost ?? lostBefore ?? hint].filter((each) => each !== null);
  return pageTrouble(`${reason} (${method} ${addressText(url)})`, hints.join("; ") || null);
}

/** The addresses that redirected to a request, in order. */
function redirectsTo(request: Request): URL[] {
  const before = request.redirectedFrom();
  return before === null ? [] : [...redirectsTo(before), new URL(before.url())];
}

/**
 * The text that a frame shows now; "" if it shows nothing.
 * @param within the element whose text it is
 * @param timeout in milliseconds; 0: it may take any time
 */
export async function textOf(frame: Frame, within: string, timeout: number): Promise<string> {
  try {
    return await frame.locator(within).first().innerText({ timeout });
  } catch {
    // It is gone, or too busy to answer.
    return "";
  }
}
