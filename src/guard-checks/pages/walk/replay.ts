import type { CallToRefuse } from "../../../browser/refused-call.ts";
import type { SharedBrowser } from "../../../browser/shared-browser.ts";
import { siteOf } from "../../../browser/site-of.ts";
import { isKeyLike, otherThan } from "../../../checking/other-value.ts";
import { compactToken, encodeRequest, type RequestParts } from "../../../checking/request-parts.ts";
import { NotPrepared, sendTo } from "../../../checking/subject.ts";
import { type Exchange, type HeaderLines, headerValue } from "../../../journal/exchange.ts";
import { bodyBytes, recordBody } from "../../../journal/journal.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";
import { literalPattern } from "../../../protocol/literal-pattern.ts";
import { parseUrl } from "../../../protocol/url.ts";
import { makeFirstCall, type Person } from "../../call.ts";
import { everythingIn, returnOf } from "./answer.ts";
import type { RightAnswers } from "./answer-again.ts";
import { cookiesAfter, openRequest, pageCall, TOKEN_PLACE, type WalkedPage } from "./login.ts";
import { type PageWalk, type PageWay, walkPage } from "./walk.ts";

/** The part of a walk in a browser that is repeated over HTTP. */
export interface RecordedWalk {
  /** The request for the page, those that followed, and the one that was answered with the code. */
  readonly opened: Exchange;
  readonly before: readonly RepeatedExchange[];
  /** Exchanges whose requests are not repeated as they were; keys in their answers are made up. Default none. */
  readonly missing?: readonly Exchange[];
  readonly last: Exchange;
  /** The token and state that they had, and the code that they got. */
  readonly token: string;
  readonly state: string;
  readonly code: string;
}

/** An exchange whose request is made again. */
export interface RepeatedExchange extends Exchange {
  /** Whether the request was changed, so that the app may refuse it, and those after it; default no. */
  readonly isChanged?: boolean;
}

/** A walk, and the token and state in the page's URL. */
export interface WalkWithToken extends PageWalk {
  readonly token: string;
  readonly state: string;
}

/** What is unusual in a walk in a browser. */
export interface UnusualWalk {
  /** The call of the page that is sent with an invalid token; default none. */
  readonly toRefuse?: Omit<CallToRefuse, "token">;
  /** Whether it ends once everything is done, and the page has had time to ask its app; default no. */
  readonly isBrief?: boolean;
  /** The browser that it shares with other walks; default one of its own. */
  readonly shared?: SharedBrowser;
  /** What it waits for when its page is open, before anything is done there; default nothing. */
  readonly whenOpened?: () => Promise<unknown>;
  /** What to do if the page asks again after a wrong answer; default nothing. */
  readonly thenRight?: RightAnswers;
}

/**
 * Makes the first call and walks the page once, with a known token and state.
 */
export async function walkWithToken(
  page: WalkedPage,
  person: Person,
  way: PageWay,
  { toRefuse, ...unusual }: UnusualWalk = {},
): Promise<WalkWithToken> {
  const { context, guard } = page;
  await makeFirstCall(context, page, person);
  const { state, ...opened } = await openRequest(context, page, person);
  const token = opened.token === null ? "" : compactToken(opened.token);
  const { url } = encodeRequest({ ...opened, token: opened.token && { ...opened.token, respell: () => token } });
  const refusing = toRefuse === undefined ? undefined : { ...toRefuse, token };
  const walk = await walkPage(context, { guard, url, state, way, person, toRefuse: refusing, ...unusual });
  return { ...walk, token, state };
}

/** The part of a walk that led to its code; null: it has none, or only the page itself had it. */
export function recordedWalk({ exchanges, outcome, token, state }: WalkWithToken): RecordedWalk | null {
  const code = outcome !== null && "code" in outcome ? outcome.code : null;
  const [opened, ...asked] = exchanges;
  if (code === null || opened === undefined) return null;
  const index = asked.findIndex(
    (exchange) => everythingIn(exchange).includes(code) || returnOf(exchange)?.code.includes(code),
  );
  const last = asked[index];
  if (last === undefined || !isOfVisit(last)) return null;
  return { opened, before: asked.slice(0, index).filter(isOfVisit), last, token, state, code };
}

/** Whether a script or a person made the request: images, styles and the like are the same for everybody. */
function isOfVisit({ request, response }: Exchange): boolean {
  if (request.method === "POST") return true;
  const type = headerValue(response?.headers ?? [], "content-type") ?? "";
  return request.method === "GET" && !/javascript|css|font|^image|^audio|^video/i.test(type);
}

/** Values in the answers of a recorded walk, and the values in their place in those of another. */
type Learned = Map<string, string>;

/**
 * Opens the page of a new login over HTTP, and repeats the requests of the walk except the last one. Values from the
 * recorded answers are replaced by those from the new answers.
 * @returns the last request, with the new token in place of the recorded one
 * @throws NotPrepared if the app does not let it get that far
 */
export async function prepareAgain(
  page: WalkedPage,
  person: Person,
  walk: Omit<RecordedWalk, "code">,
): Promise<RequestParts> {
  const { context, guard } = page;
  await makeFirstCall(context, page, person);
  const { state, ...opened } = await openRequest(context, page, person);
  const asSubject = { module: guard.module.key, call: pageCall };
  const given = [walk.opened, ...walk.before.filter(({ isChanged = false }) => !isChanged)];
  const learned: Learned = new Map([...madeUpKeys(walk.missing ?? [], given), [walk.state, state]]);
  let cookies: string | null = null;
  const outdated = new Set<string>();
  const send = async (request: RequestParts, recorded: Exchange) => {
    const answer = await sendTo(asSubject, context, request);
    cookies = cookiesAfter(answer);
    for (const [was, is] of pairsIn(recorded, answer)) learned.set(was, is);
    const again = new Set(keysIn(answer));
    for (const key of keysIn(recorded)) if (!again.has(key) && !learned.has(key)) outdated.add(key);
    return answer;
  };
  const again = (exchange: Exchange): RequestParts => {
    const request = asNewLogin(exchange, walk.token, learned, cookies);
    const headers = [...request.headers, ...fetchMetadata(exchange.request, walk.opened.request.url)];
    return { ...request, headers, token: opened.token };
  };
  await send(opened, walk.opened);
  let isChanged = false;
  for (const exchange of walk.before) {
    isChanged ||= exchange.isChanged === true;
    const answer = await send(again(exchange), exchange);
    const isRight = (answer.response?.status ?? 500) < 400 || (exchange.response?.status ?? 500) >= 400;
    if (!isRight && !isChanged) throw new NotPrepared("the app refused the page's first requests");
  }
  const request = again(walk.last);
  const sent = everythingSent(request);
  // The app would answer for the login that was recorded.
  if ([...outdated].some((key) => sent.includes(key)))
    throw new NotPrepared("the app did not answer the page's first requests as it answered the browser's");
  return sent.includes(TOKEN_PLACE) ? request : { ...request, token: null };
}

/** What is requested in place of recorded requests, and which of these are not repeated as they were. */
export function insteadOf(
  recorded: readonly Exchange[],
  madeFor: (each: Exchange) => readonly RepeatedExchange[],
): Pick<RecordedWalk, "before" | "missing"> {
  const before = recorded.flatMap(madeFor);
  return { before, missing: recorded.filter((each) => !before.includes(each)) };
}

/** For requests that an app may refuse: null if it does. */
export function unlessNotPrepared(error: unknown): null {
  if (error instanceof NotPrepared) return null;
  throw error;
}

/** A recorded exchange with a changed request; null if there is nothing to change. */
export function changedIn(
  exchange: Exchange,
  change: (request: RequestParts) => RequestParts | null,
): RepeatedExchange | null {
  const { method, url, headers, body } = exchange.request;
  const bytes = bodyBytes(body);
  const changed = change({
    method: method === "POST" ? "POST" : "GET",
    url,
    headers,
    body: bytes.length === 0 ? null : { bytes },
    token: null,
    tokenIn: { placeholder: TOKEN_PLACE },
  });
  if (changed === null) return null;
  const sent = encodeRequest(changed);
  const request = { ...exchange.request, url: sent.url, headers: sent.headers, body: recordBody(sent.body) };
  return { ...exchange, request, isChanged: true };
}

/** What may be a key of one login, among the words of an answer. */
function keysIn(exchange: Exchange): string[] {
  return partsOf(exchange).flatMap(([, text]) => (text.match(/[\w.~+-]+/g) ?? []).filter(isKeyLike));
}

/**
 * The keys that came with one of the recorded answers `missing`, and with none of the answers `given`, each with one that
 * nobody issued.
 */
function madeUpKeys(missing: readonly Exchange[], given: readonly Exchange[]): Learned {
  const known = new Set(given.flatMap(keysIn));
  const unknown = missing.flatMap(keysIn).filter((key) => !known.has(key));
  return new Map(unknown.map((key) => [key, otherThan(key)]));
}

/** The code in an answer to the last request of a recorded walk; null: it has none. */
export function codeIn(answer: Exchange, { last, code }: Pick<RecordedWalk, "last" | "code">): string | null {
  const [returned] = returnOf(answer)?.code ?? [];
  if (returned !== undefined) return returned === "" ? null : returned;
  const issued = swapped(code, new Map(pairsIn(last, answer)));
  return issued === code ? null : issued;
}

/** Longer runs of these characters may be a key of one login; shorter ones are mostly words. */
const words = /[\w.~+/%-]{6,}/g;

/** The words that differ in the same place of two answers; none if the answers are not alike, or only one refuses. */
function pairsIn(recorded: Exchange, fresh: Exchange): [was: string, is: string][] {
  const [wasRefused, isRefused] = [recorded, fresh].map(({ response }) => (response?.status ?? 500) >= 400);
  if (wasRefused !== isRefused) return [];
  const inFresh = new Map(partsOf(fresh));
  return partsOf(recorded).flatMap(([name, text]) => changedWords(text, inFresh.get(name) ?? ""));
}

function changedWords(recorded: string, fresh: string): [was: string, is: string][] {
  const [before, after] = [recorded.match(words) ?? [], fresh.match(words) ?? []];
  if (before.length !== after.length) return [];
  return before.flatMap((was, index): [string, string][] => {
    const is = after[index] ?? was;
    return was === is ? [] : [[was, is]];
  });
}

/** Headers that say nothing to a script of the page. */
const untelling = /^(date|etag|age|expires|last-modified|content-.*|connection|keep-alive|set-cookie|server)$/i;

/** The body of an answer, and its headers: some frameworks say in one of their own where a script should go. */
function partsOf({ response }: Exchange): (readonly [name: string, text: string])[] {
  if (response === null) return [];
  const headers = response.headers.flatMap(([name, value]) =>
    untelling.test(name) ? [] : [[name.toLowerCase(), value] as const],
  );
  return [...headers, ["body", unpackedBytes(response).toString("latin1")]];
}

/** The text with the new values, plain and URL-encoded. */
function swapped(text: string, learned: Learned): string {
  const spellings = new Map([...learned].flatMap(([was, is]) => [...spelled(was, is)]));
  const found = [...spellings.keys()].filter((was) => was !== "" && text.includes(was));
  if (found.length === 0) return text;
  const longestFirst = found.toSorted((one, other) => other.length - one.length);
  const any = new RegExp(longestFirst.map(literalPattern).join("|"), "g");
  return text.replaceAll(any, (was) => spellings.get(was) ?? was);
}

function spelled(was: string, is: string): [string, string][] {
  return [
    [encodeURIComponent(was), encodeURIComponent(is)],
    [was, is],
  ];
}

/** Headers that belong to one connection or one browser. */
const ownHeaders = /^(host|connection|content-length|transfer-encoding|cookie|accept-encoding|:.*)$/i;

function asNewLogin({ request }: Exchange, token: string, learned: Learned, cookies: string | null): RequestParts {
  const plain = (text: string) => {
    const open = token === "" ? text : text.replaceAll(token, TOKEN_PLACE);
    return swapped(open, learned);
  };
  const bytes = bodyBytes(request.body);
  const headers = request.headers.flatMap(([name, value]) =>
    ownHeaders.test(name) ? [] : [[name, plain(value)] as const],
  );
  return {
    method: request.method === "POST" ? "POST" : "GET",
    url: swappedPath(request.url, plain),
    headers: [...headers, ["Accept-Encoding", "identity"], ...(cookies === null ? [] : [["Cookie", cookies] as const])],
    body: bytes.length === 0 ? null : { bytes: Buffer.from(plain(bytes.toString("latin1")), "latin1") },
    token: null,
    tokenIn: { placeholder: TOKEN_PLACE },
  };
}

/** The address with another path and query: what was learned may occur in its host, too. */
function swappedPath(url: string, plain: (text: string) => string): string {
  const { origin } = new URL(url);
  return `${origin}/${plain(url.slice(origin.length)).replace(/^\/+/, "")}`;
}

function everythingSent({ url, headers, body }: RequestParts): string {
  const bytes = body !== null && "bytes" in body ? Buffer.from(body.bytes).toString("latin1") : "";
  return `${url}${headers.flat().join()}${bytes}`;
}

/**
 * Fetch metadata, which Chromium sends but need not report.
 * @param page the address of the page, for a request that does not name it
 */
function fetchMetadata({ url, headers }: Exchange["request"], page: string): HeaderLines {
  if (headerValue(headers, "sec-fetch-site") !== undefined) return [];
  const from = parseUrl(headerValue(headers, "origin") ?? headerValue(headers, "referer") ?? page) ?? new URL(page);
  const isNavigation = headerValue(headers, "upgrade-insecure-requests") !== undefined;
  return [
    ["Sec-Fetch-Site", siteOf(from, new URL(url))],
    ["Sec-Fetch-Mode", isNavigation ? "navigate" : "cors"],
    ["Sec-Fetch-Dest", isNavigation ? "document" : "empty"],
  ];
}
