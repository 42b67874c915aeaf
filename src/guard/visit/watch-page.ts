import type { Frame, Page, Request, Response } from "playwright-core";
import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { explainStatus } from "../../app-client/explain-status.ts";
import { addressText, signInHint } from "../../browser/addresses.ts";
import { type PageTrouble, pageTrouble } from "../../browser/fill-form.ts";
import { joinTexts } from "../../browser/page-elements.ts";
import { parseUrl } from "../../protocol/url.ts";
import { judgeFraming, withoutFrameOptions } from "./framing.ts";
import { FORM_ANSWER, lostByRedirectHint, lostParametersHint } from "./lost-parameters.ts";
import {
  destinationOf,
  isOfApp,
  type PageVisit,
  parametersHint,
  postedCallback,
  requestFacts,
  wayBackWarning,
} from "./page-visit.ts";
import { misuseOf } from "./silent-frame.ts";

/** Problems with the pages that a browser shows. */
export interface Watch {
  /** Resolves when a page cannot be shown, so that the visit cannot go on. */
  readonly fault: Promise<PageTrouble>;
  /** Problems so far that did not end the visit. */
  readonly notes: readonly string[];
  /** Resolves when the page in a frame called `AP.verifyAuth()` with wrong arguments. */
  readonly misuse: Promise<PageTrouble>;
  /** The hint for a page that redirected to a sign-in page of the app; null: none did. */
  signIn(): string | null;
  /** The hint for the page's last failed call to its app; null: none failed. */
  failedCall(): string | null;
  /** The page's last script error; null: there was none. */
  lastError(): string | null;
}

/** How long the page of a refusal may take to load. */
const REFUSAL_LOAD_MS = 2_000;
/** A page whose script never ends does not answer. */
export const ANSWER_MS = 900;

/** What host.js logs when it refuses a call. */
const refusedCall = /^app-sim host\.js: (AP\.verifyAuth\(\).*?); use /;

/** What Chromium logs for a page that refuses to be framed. */
const refusedFrame = /^(Refused to (display|frame)|Framing) '/;

/** A page may log errors endlessly. */
const MAX_NOTES = 20;

/**
 * Watches a page for anything that would stop a person, and passes on the errors of its scripts.
 * @param isShown whether a frame is where the app shows its pages
 */
export function watchPage(page: Page, visit: PageVisit, isShown: (frame: Frame) => boolean): Watch {
  const notes: string[] = [];
  /** For each page request, the address of the page that it was made from. */
  const from = new WeakMap<Request, string>();
  let lastError: string | null = null;
  let signIn: string | null = null;
  let failedCall: string | null = null;
  const note = (text: string) => {
    const reason = visit.quote(text);
    if (notes.length >= MAX_NOTES || notes.includes(reason)) return;
    notes.push(reason);
    visit.interaction.report({ reason, hint: null });
  };
  const complain = (text: string) => {
    lastError = visit.quote(text);
    note(text);
  };
  let misused: (trouble: PageTrouble) => void = () => {};
  const misuse = new Promise<PageTrouble>((resolve) => {
    misused = resolve;
  });
  let stop: (trouble: PageTrouble) => void = () => {};
  const fault = new Promise<PageTrouble>((resolve) => {
    stop = resolve;
  });
  const warnOfWay = (status: number | null) => {
    const warning = wayBackWarning(status);
    if (warning !== null) visit.interaction.warn(warning);
  };
  const shows = (request: Request) => {
    const frame = request.isNavigationRequest() ? frameOf(request) : null;
    return frame !== null && isShown(frame);
  };

  page.on("dialog", (dialog) => {
    const isLeaving = dialog.type() === "beforeunload";
    if (!isLeaving) note(`the app's page opened a dialog, which was dismissed: ${dialog.message()}`);
    void (isLeaving ? dialog.accept() : dialog.dismiss()).catch(() => {});
  });
  page.on("console", (message) => {
    if (message.type() !== "error" || isFaviconMissing(message.text(), message.location().url)) return;
    // The reason quotes the header.
    if (refusedFrame.test(message.text())) return;
    const text = `the page's console: ${message.text()}`;
    const [, problem] = refusedCall.exec(message.text()) ?? [];
    if (problem !== undefined) {
      const { reason, hint } = misuseOf(visit.quote(problem));
      misused(pageTrouble(reason, failedCall ?? hint));
    }
    const [, why] = /^Failed to load resource: (.*)/.exec(message.text()) ?? [];
    const address = parseUrl(message.location().url);
    // Chromium's own message for what the answer already shows.
    if (why !== undefined) note(address === null ? text : `the page could not load ${addressText(address)}: ${why}`);
    else complain(text);
  });
  page.on("pageerror", (error) => {
    const text = `a script of the page failed: ${error.message}`;
    // The console has the reason.
    if (error.message === "Failed to fetch" && lastError !== null) note(text);
    else complain(text);
  });
  page.on("download", () => note("the app answered with a download instead of a page"));
  page.on("crash", () => stop({ reason: "the app's page crashed in Chromium", hint: null, failure: "other" }));
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText ?? "";
    // Chromium aborts a page that is left or that turns out to be a download.
    if (error === "net::ERR_ABORTED") return;
    if (shows(request)) void failedPage(request, error, visit).then(stop);
    else note(`the page could not load ${addressText(new URL(request.url()))}: ${error}`);
  });
  page.on("request", (request) => {
    if (!shows(request)) return;
    const before = request.redirectedFrom();
    if (before === null) from.set(request, request.frame().url());
    if (before?.method() === "GET") signIn ??= signInHint(new URL(before.url()), new URL(request.url()));
    if (before !== null) return;
    if (destinationOf(new URL(request.url()), visit.login).kind !== "callback") return;
    warnOfWay(null);
  });
  page.on("response", (response) => {
    const request = response.request();
    if (["fetch", "xhr"].includes(request.resourceType())) failedCall = failedCallHint(response, visit) ?? failedCall;
    if (!shows(request)) return;
    if (isJsonForForm(response)) note(`${addressText(new URL(request.url()))} answered with JSON: ${FORM_ANSWER}`);
    const target = redirectTarget(response);
    if (target !== null && destinationOf(target, visit.login).kind === "callback") warnOfWay(response.status());
    if (response.status() >= 400) void refusedPage(response, parseUrl(from.get(request) ?? ""), visit).then(stop);
  });
  return { fault, misuse, notes, signIn: () => signIn, failedCall: () => failedCall, lastError: () => lastError };
}

/** Chromium requests it by itself, and a page needs none. */
function isFaviconMissing(text: string, address: string): boolean {
  return text.startsWith("Failed to load resource:") && parseUrl(address)?.pathname === "/favicon.ico";
}

/** The hint for a page's own call that its app answered with an error; null: it is another request. */
function failedCallHint(response: Response, { login }: PageVisit): string | null {
  const [status, url] = [response.status(), new URL(response.url())];
  if (status < 400 || !isOfApp(url, login)) return null;
  const method = response.request().method();
  const called = `the page's own call ${method} ${addressText(url)} was answered ${status}`;
  if (status === 401 || status === 403)
    return `${called}: does it send what identifies its user, such as the jwtToken of the page's address?`;
  if (status === 404 || status === 405) return `${called}: compare its address with the app's routes for ${method}`;
  return `${called}: ${OWN_LOG}`;
}

function isJsonForForm(response: Response): boolean {
  const isOk = response.status() >= 200 && response.status() < 300;
  return isOk && response.request().method() === "POST" && /json/.test(response.headers()["content-type"] ?? "");
}

function redirectTarget(response: Response): URL | null {
  const { location } = response.headers();
  if (response.status() < 300 || response.status() >= 400 || location === undefined) return null;
  return parseUrl(location, response.url());
}

/** The frame that a request is for; null if it does not exist yet. */
function frameOf(request: Request): Frame | null {
  try {
    return request.frame();
  } catch {
    return null;
  }
}

/** A page that could not be loaded at all. */
async function failedPage(request: Request, error: string, { login }: PageVisit): Promise<PageTrouble> {
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
async function refusedPage(response: Response, from: URL | null, visit: PageVisit): Promise<PageTrouble> {
  const url = new URL(response.url());
  const frame = response.frame();
  const status = response.status();
  // The answer is here before the frame leaves the page that it shows.
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
  const facts = { ...requestFacts(visit.facts, sent, method === "GET"), method };
  const { reason, hint } = explainStatus({ status, headers, body: new Uint8Array() }, facts);
  const isFrame = visit.interaction.guard.type === "frame";
  const lost =
    from && isOfApp(from, visit.login) ? lostParametersHint(status, { ...sent, method }, from, isFrame) : null;
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
 * @param timeout in milliseconds
 */
export async function textOf(frame: Frame, within = "body", timeout = ANSWER_MS): Promise<string> {
  try {
    return await frame.locator(within).first().innerText({ timeout });
  } catch {
    // It is gone, or too busy to answer.
    return "";
  }
}
