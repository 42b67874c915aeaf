import { buttonsOf, shown } from "../../../browser/fill-form.ts";
import { type HtmlForm, isField } from "../../../browser/html-form.ts";
import type { HtmlPage } from "../../../browser/html-page.ts";
import { readHtml } from "../../../browser/read-html.ts";
import { type Reply, replyByStatus } from "../../../checking/reply.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { answeredJson, unpackedBytes, unpackedText } from "../../../journal/readable-body.ts";
import { redirectTarget } from "../../../journal/redirect-target.ts";
import { isSamePlace, parseUrl } from "../../../protocol/url.ts";
import { isSamePath } from "./form-paths.ts";

/** Where an answer sends the user back to, with the address's parameters. */
export interface PageReturn {
  /** Status of the redirect; null: a link, form or meta element of the page leads there. */
  readonly status: number | null;
  /** The full URL; the text in the header or the page is `raw`. */
  readonly url: URL;
  readonly raw: string;
  /** Every value of each parameter, from the query and from the fragment. */
  readonly state: readonly string[];
  readonly code: readonly string[];
  readonly error: readonly string[];
  /** Whether they are in the query. */
  readonly isInQuery: boolean;
}

/**
 * How an answer sends the user back to the platform (interface 4.2), whether or not the address is right; null: it does
 * not. An address outside the app that has a code or an error is intended as the callback.
 */
export function returnOf(exchange: Exchange): PageReturn | null {
  const target = redirectTarget(exchange);
  if (target !== null) return readReturn(target.url, target.raw, exchange, exchange.response?.status ?? null);
  const page = pageOf(exchange);
  if (page === null || page.forms.length > 0) return null;
  const links = [page.refresh, ...page.links.map(({ href }) => href)].filter((href) => href !== null);
  const returns = links.flatMap((href) => readReturn(new URL(href), href, exchange, null) ?? []);
  // A page that only offers both has decided nothing.
  return returns.length === 1 ? (returns[0] ?? null) : null;
}

function readReturn(url: URL, raw: string, { request }: Exchange, status: number | null): PageReturn | null {
  const behind = new URLSearchParams(url.hash.slice(1));
  const outcomes = ["code", "error"];
  const isInQuery = outcomes.some((name) => url.searchParams.has(name));
  const isInHash = outcomes.some((name) => behind.has(name));
  const isCallback = /\/guard\/callback\/?$/.test(url.pathname);
  const isOutside = !isSamePlace(url, new URL(request.url));
  if (!isCallback && !(isOutside && (isInQuery || isInHash))) return null;
  const all = (name: string) => [...url.searchParams.getAll(name), ...behind.getAll(name)];
  return { status, url, raw, isInQuery, state: all("state"), code: all("code"), error: all("error") };
}

/** The addresses in an answer: where it redirects to, and those among the texts of its JSON. */
export function addressesAnswered(exchange: Exchange): URL[] {
  const target = redirectTarget(exchange);
  return [...(target === null ? [] : [target.url]), ...textsIn(answeredJson(exchange)).flatMap(addressOf)];
}

/** The texts of a JSON value, in the order in which it has them. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function addressOf(text: string): URL[] {
  const url = parseUrl(text);
  return url === null ? [] : [url];
}

/** Many checks look at the same page, and a long one takes long to parse. */
const pages = new WeakMap<Exchange, HtmlPage | null>();

/** The page of an answer; null: it has none. Its Content-Type is judged elsewhere. */
export function pageOf(exchange: Exchange): HtmlPage | null {
  const { request, response } = exchange;
  if (response === null || response.body.size === 0) return null;
  const known = pages.get(exchange);
  if (known !== undefined) return known;
  const page = readHtml({ headers: response.headers, body: unpackedBytes(response) }, request.url);
  pages.set(exchange, page);
  return page;
}

/**
 * The meaning of an answer to the request for a guard's page: the page is shown, or the user is sent back with a code.
 */
export function readOpenedPage(exchange: Exchange, control: Exchange | null): Reply {
  const known = replyByStatus(exchange);
  // A refusal followed by the right page with its form is not a refusal: an app that forgets to stop after a refusal
  // makes such answers.
  const isOnlySaid = known?.kind === "refused" && control !== null && showsForm(exchange, control);
  if (known !== null && !isOnlySaid) return known;
  const says = `answered ${exchange.response?.status}`;
  const back = returnOf(exchange);
  if (back !== null) return readBack(back, says);
  const page = pageOf(exchange);
  if (redirectTarget(exchange) !== null) return { kind: "refused", says: `${says} and led elsewhere` };
  if (page === null) return { kind: control === null ? "unclear" : "refused", says: `${says} without a page` };
  const right = control === null ? null : pageOf(control);
  if (right === null) return { kind: hasWork(page) ? "accepted" : "unclear", says: `${says} with its page` };
  return showsSame(page, right)
    ? { kind: "accepted", says: `${says} with the same page` }
    : { kind: "refused", says: `${says} with another page` };
}

/** The meaning of an answer to the form of a guard's page: the user is sent back with a code, or is not. */
export function readSentForm(exchange: Exchange): Reply {
  const known = replyByStatus(exchange);
  if (known !== null) return known;
  const says = `answered ${exchange.response?.status}`;
  const back = returnOf(exchange);
  return back === null ? { kind: "refused", says: `${says} and did not send the user back` } : readBack(back, says);
}

/** Whether a user came back with a code. @param back null: the user did not come back */
export function hasCode(back: PageReturn | null): boolean {
  return back?.code.some((each) => each !== "") === true;
}

/** Whether an answer sends the user back with a code. */
export function isPassed(answer: Exchange | null): boolean {
  return answer !== null && hasCode(returnOf(answer));
}

function readBack(back: PageReturn, says: string): Reply {
  if (hasCode(back)) return { kind: "accepted", says: `${says} and sent the user back with a code` };
  const error = back.error.find((text) => text !== "");
  const how = error === undefined ? "without a code" : `with the error ${shown(error)}`;
  return { kind: "refused", says: `${says} and sent the user back ${how}` };
}

function hasWork(page: HtmlPage): boolean {
  return page.forms.length > 0 || page.loneButtons.length > 0 || page.hasScripts || waysOn(page).length > 0;
}

/** The paths of the app to which the links of a page lead, in place of a form. */
function waysOn({ url, links }: HtmlPage): string[] {
  const here = new URL(url);
  const paths = links.map(({ href }) => new URL(href)).filter((link) => isSamePlace(link, here));
  return [...new Set(paths.map(({ pathname }) => pathname))];
}

/** Whether an answer shows the form of the right one. */
export function showsForm(exchange: Exchange, control: Exchange): boolean {
  // Most refusals have none, and reading HTML takes time.
  if (exchange.response === null || !/<form/i.test(unpackedText(exchange.response))) return false;
  const right = pageOf(control);
  if (right === null || right.forms.length === 0) return false;
  const page = pageOf(exchange);
  return page !== null && showsSame(page, right);
}

/** Whether a page offers everything that another one does: an error page does not. */
function showsSame(page: HtmlPage, right: HtmlPage): boolean {
  if (right.forms.length + right.loneButtons.length > 0) {
    return (
      right.forms.every((form) => page.forms.some((each) => isSameForm([page, each], [right, form]))) &&
      right.loneButtons.every((text) => page.loneButtons.includes(text))
    );
  }
  const rightWays = right.hasScripts ? [] : waysOn(right);
  if (rightWays.length > 0) return rightWays.every((way) => waysOn(page).some((each) => isSamePath(each, way)));
  return page.text === right.text && page.scripts.join() === right.scripts.join();
}

/** A form, and the page that has it. */
type FormOfPage = readonly [page: HtmlPage, form: HtmlForm];

/** Whether two forms do the same, whatever login they belong to. */
function isSameForm([page, form]: FormOfPage, [right, rightForm]: FormOfPage): boolean {
  if (shapeOf(form) !== shapeOf(rightForm)) return false;
  const [path, rightPath] = [form, rightForm].map(({ action }) => (action === null ? null : new URL(action).pathname));
  if (path == null || rightPath == null) return path === rightPath;
  const isOwn = path === new URL(page.url).pathname && rightPath === new URL(right.url).pathname;
  return isSamePath(path, rightPath, isOwn);
}

/** What a form asks for, without its values. */
function shapeOf(form: HtmlForm): string {
  const fields = form.controls.filter(isField).map(({ kind, name }) => `${kind} ${name}`);
  const buttons = buttonsOf(form).map(({ name, value, text }) => [name, value, text]);
  return JSON.stringify([form.method, fields.toSorted(), buttons]);
}

/** Whether a page works only by scripts, so that it may be the same for everybody. */
export function isScripted(exchange: Exchange): boolean {
  const page = pageOf(exchange);
  return page?.hasScripts === true && page.forms.length === 0;
}

/** The body of an answer as text, byte by byte, with its header values. */
export function everythingIn({ response }: Exchange): string {
  if (response === null) return "";
  return [...response.headers.flat(), unpackedBytes(response).toString("latin1")].join("\n");
}

/** The meaning of an answer to a call of a page's own scripts: whether it has what the right one has. */
export function readPageCall(exchange: Exchange, control: Exchange | null): Reply {
  const known = replyByStatus(exchange);
  if (known !== null) return known;
  const status = exchange.response?.status ?? 0;
  const says = `answered ${status}`;
  if (status >= 300) return { kind: "refused", says };
  if (control === null) return { kind: "accepted", says };
  const right = answeredJson(control);
  const isSame =
    right === undefined
      ? textShape(exchange) === textShape(control)
      : jsonShape(answeredJson(exchange)) === jsonShape(right);
  return isSame
    ? { kind: "accepted", says: `${says} as to the correct request` }
    : { kind: "refused", says: `${says}, but not as to the correct request` };
}

/**
 * The meaning of an answer to the call with which the scripts of a redirect page get their code: a redirect to the
 * platform, or an answer from which a script reads where to send its user.
 */
export function readScriptedCall(exchange: Exchange, control: Exchange | null): Reply {
  return returnOf(control ?? exchange) === null ? readPageCall(exchange, control) : readSentForm(exchange);
}

/** The parts between the words that differ from login to login. */
function textShape({ response }: Exchange): string {
  if (response === null) return "";
  const text = unpackedText(response);
  return addressShape(text.trim()) ?? text.replaceAll(/[\w.~+/%=-]{8,}/g, "…");
}

/** The names of an address's parameters: one with an error is not like one with a code. Null: it is no address. */
function addressShape(text: string): string | null {
  if (!/^(https?:\/)?\/\S*\?\S*=/.test(text)) return null;
  return `address:${[...new URLSearchParams(text.slice(text.indexOf("?"))).keys()].toSorted().join()}`;
}

/**
 * The names and types in a JSON value; for texts also whether they are empty or an address, for booleans the value.
 */
function jsonShape(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonShape).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonShape(member)}`);
    return `{${members.toSorted().join()}}`;
  }
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value !== "string") return typeof value;
  return value === "" ? "empty" : (addressShape(value) ?? "string");
}

/** The texts in an answer that may be its code. */
export function codesIn(exchange: Exchange): string[] {
  const json = answeredJson(exchange);
  if (json === undefined) {
    const text = exchange.response === null ? "" : unpackedText(exchange.response).trim();
    return /^[\x21-\x7e]{4,512}$/.test(text) ? [text] : [];
  }
  return textsIn(json).flatMap((text) => (text.length < 4 ? [] : [...codesInAddress(text), text]));
}

/** What may be a code in an answer, in the place in which another answer has its code. */
export function codesInPlace(
  answer: Exchange,
  { last, code }: { readonly last: Exchange; readonly code: string },
): string[] {
  const texts = textsBeside(jsonOrText(last), jsonOrText(answer)).flatMap(([known, text]) =>
    known.includes(code) ? [...codesInAddress(text), text] : [],
  );
  // A word is the name of an error.
  return texts.filter((text) => /^\S*\d\S*$/.test(text));
}

/** The value of an answer's JSON, or its text. */
function jsonOrText(exchange: Exchange): unknown {
  const json = answeredJson(exchange);
  return json === undefined && exchange.response !== null ? unpackedText(exchange.response).trim() : json;
}

/** The texts that stand in the same place of two JSON values. */
function textsBeside(one: unknown, other: unknown): [one: string, other: string][] {
  if (typeof one === "string") return typeof other === "string" ? [[one, other]] : [];
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return [];
  const members = new Map(Object.entries(other));
  return Object.entries(one).flatMap(([name, member]) => textsBeside(member, members.get(name)));
}

function codesInAddress(text: string): string[] {
  if (addressShape(text) === null) return [];
  return new URLSearchParams(text.slice(text.indexOf("?"))).getAll("code").filter((code) => code !== "");
}

/** How to fix a page that is missing. */
export const SERVE_PAGE = "Serve the page at the module's options.url. If the app failed, its own log says why.";

/** Whether the app has nothing at the address of its page, or fails there. */
export function isMissing({ response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return [404, 405, 410].includes(status) || (status >= 500 && status !== 503);
}
