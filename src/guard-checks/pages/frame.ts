import { compactToken, encodeRequest, type RequestParts } from "../../checking/request-parts.ts";
import { NotPrepared, sendAndFollow, taggedContext } from "../../checking/subject.ts";
import type { VerifyContext } from "../../checking/verify-context.ts";
import type { FormAnswers } from "../../guard/login/login-options.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyBytes, recordBody } from "../../journal/journal.ts";
import type { Person } from "../call.ts";
import { everythingIn } from "./answer.ts";
import { saysNo } from "./buttons.ts";
import {
  cookiesAfter,
  followWithin,
  makeFirstCall,
  openRequest,
  pageCall,
  TOKEN_PLACE,
  type WalkedPage,
} from "./login.ts";
import { type PageWalk, walkPage } from "./walk.ts";

/** What the configuration says of how a page is walked. */
type ToldAnswers = NonNullable<VerifyContext["config"]["verify"]["guards"][string]["pass"]>;

/** The walks of a frame guard's page in Chromium. */
export interface FrameWalks {
  /** The one that reported a code; null: none did. */
  readonly pass: FrameWalk | null;
  /** Why none did. */
  readonly reason: string;
}

interface FrameWalk extends PageWalk {
  /** The token of the page's address. */
  readonly token: string;
}

/** The role of the exchange that stands for what a page reported by AP.verifyAuth. */
export const REPORT = "report";
/** A page with more buttons is not tried with each. */
const MOST_BUTTONS = 6;
const NOWHERE = "/app-sim-verify-frame";

/** How one walk of a frame ended, as the body of the exchange that stands for its report. */
export interface FrameReport {
  /** The button that was pressed; null: the only one, or as the configuration says. */
  readonly pressed: string | null;
  /** Whether it was walked as the configuration says that the page is passed or failed. */
  readonly told: "pass" | "fail" | null;
  readonly code?: string;
  readonly error?: string;
}

/**
 * Walks the page of a frame guard in Chromium, as it is passed and as it is failed, and writes what it reports by
 * AP.verifyAuth into the journal: how it does is judged by that.
 */
export async function walkFrame(page: WalkedPage, person: Person): Promise<FrameWalks> {
  const { context, guard } = page;
  const told = context.config.verify.guards[guard.module.key];
  const walks: FrameWalk[] = [];
  const attempt = async ({ fill = {}, press }: ToldAnswers, how: FrameReport["told"]) => {
    const walk = await walkOnce(page, person, { fill, ...(press === undefined ? {} : { press }) });
    walks.push(walk);
    const pressed = how === null && typeof press === "string" ? press : null;
    writeReport(context, guard.module.key, { pressed, told: how, ...walk.outcome });
    return walk;
  };
  const first = await attempt(told?.pass ?? {}, told?.pass === undefined ? null : "pass");
  const buttons = told?.pass === undefined ? first.buttons.slice(0, MOST_BUTTONS) : [];
  // What says no comes last, so that a page that takes one answer only is passed.
  const ordered = [...buttons.filter((text) => !saysNo(text)), ...buttons.filter(saysNo)];
  for (const press of ordered) {
    const isPassed = walks.some(({ outcome }) => outcome !== null && "code" in outcome);
    if (!isPassed || saysNo(press)) await attempt({ press }, null);
  }
  if (told?.fail !== undefined) await attempt(told.fail, "fail");
  const pass = walks.find(({ outcome }) => outcome !== null && "code" in outcome) ?? null;
  return { pass, reason: first.trouble?.reason ?? "the page reported no code" };
}

async function walkOnce(page: WalkedPage, person: Person, answers: FormAnswers): Promise<FrameWalk> {
  const { context, guard } = page;
  await makeFirstCall(context, page, person);
  const { state, ...opened } = await openRequest(context, page, person);
  const token = opened.token === null ? "" : compactToken(opened.token);
  const { url } = encodeRequest({ ...opened, token: opened.token && { ...opened.token, respell: () => token } });
  const walk = await walkPage(context, { guard, url, state, way: { by: "browser", answers } });
  return { ...walk, token };
}

function writeReport({ journal, ids, clock, baseUrl }: VerifyContext, module: string, report: FrameReport): void {
  const nothing = recordBody(Buffer.alloc(0));
  const body = recordBody(Buffer.from(JSON.stringify(report)));
  journal.append({
    type: "exchange",
    id: ids.next(),
    purpose: "guard-page",
    module,
    startedAt: new Date(clock.now()).toISOString(),
    timings: { headersMs: 0, totalMs: 0 },
    request: { method: "POST", url: `${baseUrl()}${NOWHERE}`, headers: [], body },
    response: { status: 204, headers: [], body: nothing },
    outcome: { kind: "answered" },
  });
}

/** What a page in a frame asked of its app to get its code. */
export interface FrameRequest {
  /** The request that the code came in answer to, and those that the page's scripts made before it. */
  readonly code: Exchange;
  readonly before: readonly Exchange[];
  /** The token that they were made with. */
  readonly token: string;
}

/** The request whose answer brought the code that a walk reported; null: no answer had it, but that of the page itself. */
export function codeRequestOf({ exchanges, outcome, token }: FrameWalk): FrameRequest | null {
  const code = outcome !== null && "code" in outcome ? outcome.code : null;
  if (code === null) return null;
  const [, ...asked] = exchanges;
  const index = asked.findIndex((exchange) => everythingIn(exchange).includes(code));
  const found = asked[index];
  if (found === undefined || !isCall(found)) return null;
  return { code: found, before: asked.slice(0, index).filter(isCall), token };
}

/** Whether scripts made the request: what the page loads is the same for everybody. */
function isCall({ request }: Exchange): boolean {
  const purpose = request.headers.find(([name]) => name.toLowerCase() === "sec-fetch-dest")?.[1];
  return (request.method === "GET" || request.method === "POST") && (purpose === undefined || purpose === "empty");
}

/**
 * Opens the page of a new login over HTTP, and makes the requests that its scripts make before the one for the code.
 * @returns that request, with the new token in place of the recorded one
 */
export async function prepareFrameRequest(
  page: WalkedPage,
  person: Person,
  { code, before, token }: FrameRequest,
): Promise<RequestParts> {
  const { context, guard } = page;
  await makeFirstCall(context, page, person);
  const opened = await openRequest(context, page, person);
  const asSubject = { module: guard.module.key, call: pageCall, follow: followWithin(guard) };
  const contextOf = () => context;
  let last = await sendAndFollow(asSubject, contextOf, "step", opened);
  const again = (exchange: Exchange): RequestParts => ({
    ...withoutToken(exchange, token, cookiesAfter(last)),
    token: opened.token,
  });
  for (const exchange of before) {
    last = await sendAndFollow(asSubject, contextOf, "step", again(exchange));
    if ((last.response?.status ?? 500) >= 400) throw new NotPrepared("the app refused what the page asks first");
  }
  const request = again(code);
  const everything = `${request.url}${request.headers.flat().join()}${bodyText(request)}`;
  return everything.includes(TOKEN_PLACE) ? request : { ...request, token: null };
}

function bodyText({ body }: RequestParts): string {
  return body !== null && "bytes" in body ? Buffer.from(body.bytes).toString("latin1") : "";
}

/** Headers that belong to one connection or one browser. */
const ownHeaders = /^(host|connection|content-length|transfer-encoding|cookie|accept-encoding|:.*)$/i;

function withoutToken({ request }: Exchange, token: string, cookies: string | null): RequestParts {
  const plain = (text: string) => text.replaceAll(token, TOKEN_PLACE);
  const bytes = bodyBytes(request.body);
  const headers = request.headers.flatMap(([name, value]) =>
    ownHeaders.test(name) ? [] : [[name, plain(value)] as const],
  );
  return {
    method: request.method === "POST" ? "POST" : "GET",
    url: plain(request.url),
    headers: [...headers, ["Accept-Encoding", "identity"], ...(cookies === null ? [] : [["Cookie", cookies] as const])],
    body: bytes.length === 0 ? null : { bytes: Buffer.from(plain(bytes.toString("latin1")), "latin1") },
    token: null,
    tokenIn: { placeholder: TOKEN_PLACE },
  };
}

/** The context in which a subject's walks and reports are recorded. */
export function reporting(context: VerifyContext, run: number, subject: string): VerifyContext {
  const tagged = taggedContext(context, { run, subject, id: null, role: "search" });
  const reports = taggedContext(context, { run, subject, id: null, role: REPORT });
  const isReport = (url: string) => url === `${context.baseUrl()}${NOWHERE}`;
  const append: VerifyContext["journal"]["append"] = (record) =>
    (record.type === "exchange" && isReport(record.request.url) ? reports : tagged).journal.append(record);
  return { ...tagged, journal: { ...tagged.journal, append } };
}
