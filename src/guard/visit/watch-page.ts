import type { ConsoleMessage, Dialog, Frame, Page, Request, Response } from "playwright-core";
import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { addressText, signInHint } from "../../browser/addresses.ts";
import { type PageTrouble, pageTrouble } from "../../browser/fill-form.ts";
import { parseUrl } from "../../protocol/url.ts";
import { forbiddenFormHint } from "./form-warnings.ts";
import { FORM_ANSWER } from "./lost-parameters.ts";
import { destinationOf, isOfApp, type PageVisit, wayBackWarning } from "./page-visit.ts";
import { failedPage, refusedPage } from "./refused-page.ts";
import { misuseOf } from "./silent-frame.ts";

/** Problems so far with the pages that a browser shows. */
export interface Watch {
  /** Resolves when a page cannot be shown, so that the visit cannot go on. */
  readonly fault: Promise<PageTrouble>;
  /** Problems so far that did not end the visit. */
  readonly notes: readonly string[];
  /** Resolves when the page in a frame called `AP.verifyAuth()` with wrong arguments. */
  readonly misuse: Promise<PageTrouble>;
  /** The hint for a page that has redirected to a sign-in page of the app; null: none did. */
  readonly signIn: string | null;
  /** Whether a form was sent with POST. */
  readonly hasSentForm: boolean;
  /** The hint for the page's last failed call to its app; null: none failed. */
  readonly failedCall: string | null;
  /** The page's last script error; null: there was none. */
  readonly lastError: string | null;
}

/** What host.js logs when it refuses a call. */
const refusedCall = /^app-sim host\.js: (AP\.verifyAuth\(\).*?); use /;

/** What Chromium logs for a page that refuses to be framed. */
const refusedFrame = /^(Refused to (display|frame)|Framing) '/;

/** What Chromium logs for an address that the platform's page does not let into its frame. */
const forbiddenFrame = /^(?:Refused to frame|Framing) '([^']+)' .*"frame-src /;

/** What Chromium logs for a script that may not read an answer of another origin. */
const refusedFetch = /^Access to (?:fetch|XMLHttpRequest) at '([^']+)'/;

/** What Chromium logs for a call that the page's policy forbids, first with the directive, then without it. */
const forbiddenCall =
  /^(?:Refused to connect to|Connecting to|Fetch API cannot load|XMLHttpRequest cannot load) '?(https?:[^\s']+?)'?\.? .*Content Security Policy/;

/** What Chromium logs for code in the page itself that its policy forbids. */
const forbiddenInline = /^(?:Refused to execute|Executing) inline .*Content Security Policy/;

const INLINE_CODE =
  "the page's Content-Security-Policy does not let its inline code run: move the code to a file of its own, or give the script a nonce (script-src 'nonce-…')";

const FETCHED_CALLBACK =
  "a script of the page fetched the guard callback, which moves no browser: submit a form, or set location.href to the callback";

const CALLBACK_IN_FRAME = pageTrouble(
  "the page in the frame sent its user to the guard callback",
  "that is the way back from a redirect guard's page: in a frame, call AP.verifyAuth({ code }) or AP.verifyAuth({ error })",
);

/** A page may log errors endlessly. */
const MAX_NOTES = 20;

/**
 * Watches a page for anything that would stop a person, and passes on the errors of its scripts.
 * @param isShown whether a frame is where the app shows its pages
 */
export function watchPage(page: Page, visit: PageVisit, isShown: (frame: Frame) => boolean): Watch {
  return new PageWatch(page, visit, isShown);
}

class PageWatch implements Watch {
  readonly notes: string[] = [];
  readonly fault: Promise<PageTrouble>;
  readonly misuse: Promise<PageTrouble>;
  readonly #visit: PageVisit;
  readonly #isShown: (frame: Frame) => boolean;
  /** For each page request, the address of the page that it was made from. */
  readonly #from = new WeakMap<Request, string>();
  #stop: (trouble: PageTrouble) => void = () => {};
  #misused: (trouble: PageTrouble) => void = () => {};
  #lastError: string | null = null;
  #signIn: string | null = null;
  #failedCall: string | null = null;
  /** Whether a redirect of the page in the frame was blocked. */
  #isBlocked = false;
  #hasSentForm = false;

  constructor(page: Page, visit: PageVisit, isShown: (frame: Frame) => boolean) {
    this.#visit = visit;
    this.#isShown = isShown;
    this.fault = new Promise((resolve) => {
      this.#stop = resolve;
    });
    this.misuse = new Promise((resolve) => {
      this.#misused = resolve;
    });
    page.on("dialog", (dialog) => this.#onDialog(dialog));
    page.on("console", (message) => this.#onConsole(message));
    page.on("pageerror", (error) => this.#onScriptError(error));
    page.on("download", () => this.#note("the app answered with a download instead of a page"));
    page.on("crash", () => this.#stop({ reason: "the app's page crashed in Chromium", hint: null, failure: "other" }));
    page.on("requestfailed", (request) => this.#onFailedRequest(request));
    page.on("request", (request) => this.#onRequest(request));
    page.on("response", (response) => this.#onResponse(response));
  }

  get signIn(): string | null {
    return this.#signIn;
  }

  get hasSentForm(): boolean {
    return this.#hasSentForm;
  }

  get failedCall(): string | null {
    return this.#failedCall;
  }

  get lastError(): string | null {
    return this.#lastError;
  }

  #onDialog(dialog: Dialog): void {
    const isLeaving = dialog.type() === "beforeunload";
    if (!isLeaving) this.#note(`the app's page opened a dialog, which was dismissed: ${dialog.message()}`);
    void (isLeaving ? dialog.accept() : dialog.dismiss()).catch(() => {});
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== "error" || isFaviconMissing(message.text(), message.location().url)) return;
    const [, framed = ""] = forbiddenFrame.exec(message.text()) ?? [];
    this.#onForbiddenFrame(parseUrl(framed));
    // The reason quotes the header.
    if (refusedFrame.test(message.text())) return;
    const [, fetched = ""] = refusedFetch.exec(message.text()) ?? [];
    const target = parseUrl(fetched);
    if (target !== null && this.#isCallback(target)) return void this.#complain(FETCHED_CALLBACK);
    const forbidden = forbiddenCallHint(message);
    if (forbidden !== null) {
      this.#failedCall = this.#visit.quote(forbidden);
      return void this.#note(forbidden);
    }
    const unsent = forbiddenFormHint(message.text(), message.location().url, this.#visit.login.platform);
    if (unsent !== null) return void this.#complain(unsent);
    if (forbiddenInline.test(message.text())) return void this.#complain(INLINE_CODE);
    const text = `the page's console: ${message.text()}`;
    const [, problem] = refusedCall.exec(message.text()) ?? [];
    if (problem !== undefined) {
      const { reason, hint } = misuseOf(this.#visit.quote(problem));
      this.#misused(pageTrouble(reason, this.#failedCall ?? hint));
    }
    const [, why] = /^Failed to load resource: (.*)/.exec(message.text()) ?? [];
    const address = parseUrl(message.location().url);
    // Chromium's own message for what the answer already shows.
    if (why !== undefined) {
      this.#note(address === null ? text : `the page could not load ${addressText(address)}: ${why}`);
    } else this.#complain(text);
  }

  /** @param url where the app's page led the frame; null: nowhere else */
  #onForbiddenFrame(url: URL | null): void {
    if (url === null || !this.#isOfFrame()) return;
    const { kind } = destinationOf(url, this.#visit.login);
    if (kind === "callback" || kind === "wrong-callback") this.#stop(CALLBACK_IN_FRAME);
    else if (this.#isBlocked) this.#stop(leftFrame(url));
  }

  #onScriptError(error: Error): void {
    const text = `a script of the page failed: ${error.message}`;
    const isKnown = this.#lastError !== null || this.#failedCall !== null;
    // The console has the reason.
    if (error.message === "Failed to fetch" && isKnown) this.#note(text);
    else this.#complain(text);
  }

  #onFailedRequest(request: Request): void {
    const error = request.failure()?.errorText ?? "";
    // Chromium aborts a page that is left or that turns out to be a download.
    if (error === "net::ERR_ABORTED") return;
    // The console says where the redirect led.
    if (error === "net::ERR_BLOCKED_BY_CSP" && this.#isOfFrame() && this.#shows(request)) this.#isBlocked = true;
    else if (this.#shows(request)) void failedPage(request, error, this.#visit).then(this.#stop);
    else this.#note(`the page could not load ${addressText(new URL(request.url()))}: ${error}`);
  }

  #onRequest(request: Request): void {
    if (this.#isOfFrame() && request.isNavigationRequest() && this.#isCallback(new URL(request.url())))
      this.#stop(CALLBACK_IN_FRAME);
    if (!this.#shows(request)) return;
    this.#hasSentForm ||= request.method() === "POST";
    const before = request.redirectedFrom();
    if (before === null) this.#from.set(request, request.frame().url());
    if (before?.method() === "GET") this.#signIn ??= signInHint(new URL(before.url()), new URL(request.url()));
    if (before === null && this.#isCallback(new URL(request.url()))) this.#warnOfWay(null);
  }

  #onResponse(response: Response): void {
    const request = response.request();
    if (["fetch", "xhr"].includes(request.resourceType()))
      this.#failedCall = failedCallHint(response, this.#visit) ?? this.#failedCall;
    if (!this.#shows(request)) return;
    if (isJsonForForm(response))
      this.#note(`${addressText(new URL(request.url()))} answered with JSON: ${FORM_ANSWER}`);
    const target = redirectTarget(response);
    if (target !== null && this.#isCallback(target)) this.#warnOfWay(response.status());
    if (response.status() < 400) return;
    const from = parseUrl(this.#from.get(request) ?? "");
    void refusedPage(response, from, this.#visit).then(this.#stop);
  }

  #shows(request: Request): boolean {
    const frame = request.isNavigationRequest() ? frameOf(request) : null;
    return frame !== null && this.#isShown(frame);
  }

  #isOfFrame(): boolean {
    return this.#visit.interaction.guard.type === "frame";
  }

  #isCallback(url: URL): boolean {
    return destinationOf(url, this.#visit.login).kind === "callback";
  }

  #warnOfWay(status: number | null): void {
    const warning = wayBackWarning(status);
    if (warning !== null) this.#visit.interaction.warn(warning);
  }

  #complain(text: string): void {
    this.#lastError = this.#visit.quote(text);
    this.#note(text);
  }

  #note(text: string): void {
    const reason = this.#visit.quote(text);
    if (this.notes.length >= MAX_NOTES || this.notes.includes(reason)) return;
    this.notes.push(reason);
    this.#visit.interaction.report({ reason, hint: null });
  }
}

/** The trouble if a page redirects its frame to another site; Chromium names only its origin. */
function leftFrame(url: URL): PageTrouble {
  return pageTrouble(
    `the page in the frame redirected to ${url.origin}, which the platform's page does not let into its frame`,
    "stay on the app's origin in the frame",
  );
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

/** The hint for a call that the page's own policy forbids; null: it is another message. */
function forbiddenCallHint(message: ConsoleMessage): string | null {
  const [, called = ""] = forbiddenCall.exec(message.text()) ?? [];
  const [url, page] = [parseUrl(called), parseUrl(message.location().url)];
  if (url === null) return null;
  const source = url.origin === page?.origin ? "'self'" : url.origin;
  return `the page's Content-Security-Policy blocks its call to ${addressText(url)}: it needs connect-src ${source}`;
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
