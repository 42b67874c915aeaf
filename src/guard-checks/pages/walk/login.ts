import type { AppAnswer } from "../../../app-client/ports.ts";
import { cookiesIn, isGone, sentCookies } from "../../../browser/cookies.ts";
import { atOnce } from "../../../checking/at-once.ts";
import { cookieHeader } from "../../../checking/cookies.ts";
import {
  compactToken,
  encodeRequest,
  type RequestParts,
  withClaims,
  withHeader,
} from "../../../checking/request-parts.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { ChoiceReader } from "../../../config/choices.ts";
import type { Exchange, HeaderLines } from "../../../journal/exchange.ts";
import { redirectTarget } from "../../../journal/redirect-target.ts";
import type { SimulatorContext } from "../../../platform/context.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../../../protocol/limits.ts";
import { isSamePlace, joinUrl } from "../../../protocol/url.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { returnOf } from "./answer.ts";
import { pageRequest } from "./page-request.ts";
import { type PageWay, walkPage } from "./walk.ts";

/** How every request for a page is recorded, and its limits. */
export const pageCall = {
  purpose: "guard-page",
  timeoutMs: 10_000,
  sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
} as const;

/** The page of a guard, and how a user passes it. */
export interface WalkedPage {
  readonly context: VerifyContext;
  readonly choices: ChoiceReader;
  readonly guard: InstalledGuard;
}

/** The request for a page, and the state in it. */
type OpenRequest = RequestParts & { readonly state: string };

/** Deviations from a usual login. */
export interface LoginChanges {
  /** The request that opened the page of an earlier login, to be sent again; default a new one. */
  readonly again?: OpenRequest;
  /** The state of the page; default a new one, as the platform issues them. */
  readonly state?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Further parameters of the page's address. */
  readonly query?: Readonly<Record<string, string>>;
  /** The Referer, if a page other than the platform's links to it. */
  readonly referer?: string;
  /** The cookies that the browser already has from another tab, as the value of a Cookie header; default none. */
  readonly cookies?: string | undefined;
}

/** A login that has reached the form of its page, which is not yet sent. */
export interface ReadyForm {
  readonly person: Person;
  readonly state: string;
  /** The request with which its page was opened. */
  readonly opened: OpenRequest;
  readonly request: RequestParts;
  /** The requests that were made for it, in order: the last one's answer is the page with the form. */
  readonly walked: readonly Exchange[];
}

/** The forms, to be sent at the same time. */
export function formsAtOnce(forms: readonly ReadyForm[]): ReadyForm[] {
  const requests = atOnce(forms.map(({ request }) => request));
  return forms.map((form, index) => ({ ...form, request: requests[index] ?? form.request }));
}

/** A placeholder for the token in a request that a page made; no encoding changes its characters. */
export const TOKEN_PLACE = "..app-sim-token..";
const MOST_REDIRECTS = 10;

/** The request for the page of a new login (interface 4.2). */
export async function openRequest(
  context: SimulatorContext,
  { choices, guard }: Pick<WalkedPage, "choices" | "guard">,
  person: Person,
  { again, state = context.ids.secret(), claims = {}, query = {} }: LoginChanges = {},
): Promise<OpenRequest> {
  if (again !== undefined) return again;
  const request = await pageRequest(context, choices, guard, { ...person, state });
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { ...(withClaims({ ...request, url: url.href }, claims) ?? request), state };
}

/**
 * Walks the page of a new login up to the request that would bring the user back, which is not sent.
 * @param forms how many requests a walk makes before that one
 * @returns null if the app does not let the walk get that far
 */
export async function walkToForm(
  { context, choices, guard }: WalkedPage,
  person: Person,
  { way, before }: { readonly way: PageWay; readonly before: number },
  changes: LoginChanges = {},
): Promise<ReadyForm | null> {
  const opened = await openRequest(context, { choices, guard }, person, changes);
  const { state } = opened;
  const compact = opened.token === null ? "" : compactToken(opened.token);
  const { url } = encodeRequest({ ...opened, token: opened.token && { ...opened.token, respell: () => compact } });
  const kept: GatewayCall[] = [];
  let made = 0;
  let cookies = changes.cookies;
  const { gateway, journal } = context;
  const stopping: VerifyContext = {
    ...context,
    gateway: {
      call: async (call) => {
        made += 1;
        const sent = withCookies(made === 1 ? comingFrom(call, changes.referer) : call, cookies);
        if (made <= before) {
          const answer = await gateway.call(sent);
          cookies = withoutDeleted(cookies, answer);
          return answer;
        }
        kept.push(sent);
        const timings = { headersMs: null, totalMs: 0 };
        return { ok: false, outcome: { kind: "interrupted" }, response: null, sentHeaders: [], timings };
      },
    },
    // A request that was not sent is not an exchange.
    journal: { ...journal, append: (record) => (kept.length === 0 ? journal.append(record) : undefined) },
  };
  const { exchanges: walked } = await walkPage(stopping, { guard, url, state, way, person });
  const [call] = kept;
  if (call === undefined) return null;
  const withoutToken = (text: string) => text.replaceAll(compact, TOKEN_PLACE);
  const body = Buffer.from(withoutToken(Buffer.from(call.body).toString("latin1")), "latin1");
  const request: RequestParts = {
    method: call.method,
    url: withoutToken(call.url),
    headers: call.headers.map(([name, value]) => [name, withoutToken(value)] as const),
    body: body.length === 0 ? null : { bytes: body },
    token: null,
    tokenIn: { placeholder: TOKEN_PLACE },
  };
  const holdsToken = `${request.url}${request.headers.flat().join()}${body.toString("latin1")}`.includes(TOKEN_PLACE);
  return { person, state, opened, request: { ...request, token: holdsToken ? opened.token : null }, walked };
}

type GatewayCall = Parameters<SimulatorContext["gateway"]["call"]>[0];

/** The call with this Referer. */
function comingFrom(call: GatewayCall, referer: string | undefined): GatewayCall {
  if (referer === undefined) return call;
  const others = call.headers.filter(([name]) => name.toLowerCase() !== "referer");
  return { ...call, headers: [...others, ["Referer", referer]] };
}

/** The request with these cookies added; its own cookies of the same names are newer, and stay. */
function withCookies<Sent extends { readonly headers: HeaderLines }>(request: Sent, cookies: string | undefined): Sent {
  if (cookies === undefined) return request;
  const all = new Map([...sentCookies([["Cookie", cookies]]), ...sentCookies(request.headers)]);
  return withHeader(request, "Cookie", cookieHeader(all));
}

/** The cookies that are left after an answer that may delete some. */
function withoutDeleted(cookies: string | undefined, { response }: AppAnswer): string | undefined {
  if (cookies === undefined) return undefined;
  const left = sentCookies([["Cookie", cookies]]);
  for (const cookie of cookiesIn({ response })) if (isGone(cookie)) left.delete(cookie.name);
  return cookieHeader(left) ?? undefined;
}

/** The request with which a browser follows a redirect within the app. */
export function followWithin({ installed, module }: InstalledGuard) {
  const places = [installed.app.url, joinUrl(installed.app.url, module.optionsUrl ?? "")].map((url) => new URL(url));
  return (chain: readonly Exchange[]): RequestParts | null => {
    const last = chain.at(-1);
    const target = last === undefined ? null : redirectTarget(last);
    if (last === undefined || target === null || chain.length > MOST_REDIRECTS || returnOf(last) !== null) return null;
    if (!places.some((place) => isSamePlace(place, target.url))) return null;
    const { request, response } = last;
    const isKept = request.method === "GET" || response?.status === 307 || response?.status === 308;
    const cookies = cookiesAfter(last);
    const dropped = /^(authorization|cookie|host|connection|content-length|transfer-encoding)$/i;
    const headers = request.headers.filter(
      ([name]) => !dropped.test(name) && (isKept || !/^content-type$/i.test(name)),
    );
    return {
      method: isKept && request.method === "POST" ? "POST" : "GET",
      url: target.url.href,
      headers: cookies === null ? headers : [...headers, ["Cookie", cookies]],
      body: isKept && request.body.size > 0 ? { bytes: Buffer.from(request.body.base64, "base64") } : null,
      token: null,
      tokenIn: { placeholder: TOKEN_PLACE },
    };
  };
}

/** The cookies that a browser has after an answer, as the value of a Cookie header; null: none. */
export function cookiesAfter(answered: Exchange): string | null {
  const cookies = sentCookies(answered.request.headers);
  for (const cookie of cookiesIn(answered)) {
    if (isGone(cookie, answered)) cookies.delete(cookie.name);
    else cookies.set(cookie.name, cookie.value);
  }
  return cookieHeader(cookies);
}

/** How many requests of a walk come before the one that a person sent and that brought the user back. */
export function requestsBeforeReturn(exchanges: readonly Exchange[]): number {
  const isFollowed = (index: number) => {
    const earlier = exchanges[index - 1];
    return earlier !== undefined && redirectTarget(earlier) !== null;
  };
  let index = exchanges.length - 1;
  while (index > 0 && isFollowed(index)) index -= 1;
  return Math.max(0, index);
}
