import { bearerJwt, REDACTED } from "../journal/credentials.ts";
import {
  type CallPhase,
  type Exchange,
  type ExchangePurpose,
  headerValue,
  type Outcome,
  type RecordedBody,
  type RecordedRequest,
  type RecordedResponse,
  type Timings,
} from "../journal/exchange.ts";
import { bodyBytes, bodyText, type Journal, recordBody } from "../journal/journal.ts";
import { isIncoming, isOfBrowser } from "../journal/purposes.ts";
import { gunzip, Redactor } from "../journal/redact.ts";
import { timingPhases } from "../journal/timing-phases.ts";
import { clip, harmless, harmlessLine } from "../protocol/harmless.ts";
import { mediaType } from "../protocol/media-type.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { columnsOf, fold, indent, truncate } from "./layout.ts";
import { pageText } from "./page-text.ts";
import type { Paint } from "./paint.ts";
import { type ExchangeLines, plural } from "./text.ts";

const EXCERPT_CHARACTERS = 160;
/** The most columns by which callers indent an exchange. */
const INDENTED = 10;
/** The address of a hosted file is secret, and gone after the job: its beginning is enough to tell it apart. */
const FILE_CHARACTERS = 24;
/** Room for the rest of the line of a short answer: status, time and the exchange. */
const AROUND_ANSWER = 40;
/** The fewest columns to which a body is folded. */
const MIN_ROOM = 20;

/**
 * An exchange in short: what was sent and what came back, without secrets, in a few lines of plain text. Addresses are
 * never broken: if the terminal wraps one, it is still copied whole. A copied address without its secrets is of no use,
 * so it is cut.
 */
export function exchangeSummary(raw: Exchange, redactor: Redactor, paint: Paint): string[] {
  const exchange = redactor.exchange(raw);
  const { request, response, outcome, purpose, timings } = exchange;
  const room = paint.width - INDENTED;
  // The words for a call that timed out say how long it took.
  const time = outcome.kind === "timed-out" ? "" : `in ${timings.totalMs} ms  `;
  const end = `${time}exchange ${exchange.id}`;
  if (purpose === "file") return fileLines(exchange, end, room, paint);
  if (purpose === "guard-page" && response !== null && isPartOfPage(response)) {
    const came = `${response.status}, ${plural(response.body.size, "byte")}`;
    return withEnd(`→ ${requestLine(request, room - "→ ".length)} ← ${came}`, end, room, paint);
  }
  const way = wayOf(purpose);
  const sent = [
    `${way} ${requestLine(request, room - way.length - 1)}`,
    ...credentials(raw, exchange),
    ...(request.body.size > 0 ? foldedBody(requestExcerpt(request), room) : []),
  ];
  if (response === null) return [...sent, ...withEnd(`← ${outcomeText(outcome)}`, end, room, paint)];
  if (outcome.kind !== "answered") {
    const came = response.body.size === 0 ? [] : foldedBody(`so far: ${excerpt(response.body).trim()}`, room);
    return [...sent, ...withEnd(`← ${response.status}, ${outcomeText(outcome)}`, end, room, paint), ...came];
  }
  return [...sent, ...answerLines(response, end, room, paint)];
}

function requestLine({ method, url }: RecordedRequest, room: number): string {
  return `${method} ${addressIn(url, room - method.length - 1)}`;
}

function addressIn(url: string, room: number): string {
  const shown = harmlessLine(url);
  return url.includes(REDACTED) ? truncate(shown, Math.max(MIN_ROOM, room)) : shown;
}

const THEIR_CALL = "app → platform";

/** Who calls whom, so that calls of the app, or of the user's browser, are not mistaken for ours. */
function wayOf(purpose: ExchangePurpose): string {
  if (isOfBrowser(purpose)) return "user → platform";
  return isIncoming(purpose) ? THEIR_CALL : "→";
}

/** What the app fetched of a job: the reader has the content of that file already. */
function fileLines({ request, response, outcome }: Exchange, end: string, room: number, paint: Paint): string[] {
  const came =
    response === null || outcome.kind !== "answered"
      ? outcomeText(outcome)
      : `${response.status}, ${plural(response.body.size, "byte")}`;
  const what = clip(harmlessLine(`${request.method} ${new URL(request.url).pathname}`), FILE_CHARACTERS);
  return withEnd(`${THEIR_CALL} ${what} ← ${came}`, end, room, paint);
}

function answerLines({ status, headers, body }: RecordedResponse, end: string, room: number, paint: Paint): string[] {
  const location = headerValue(headers, "location");
  const answer = location === undefined ? bodyExcerpt({ status, headers, body }) : `to ${harmlessLine(location)}`;
  const arrow = statusPaint(status, paint)(`← ${status}`);
  if (columnsOf(answer) <= room - AROUND_ANSWER) return [`${arrow} ${answer} ${paint.quiet(end)}`];
  const head = withEnd(arrow, end, room, paint);
  if (location !== undefined) return [...head, `  to ${addressIn(location, room - "  to ".length)}`];
  return [...head, ...foldedBody(answer, room)];
}

/** Colours an answer as `app-sim log` does: success, refusal, failure. */
function statusPaint(status: number, paint: Paint): (text: string) => string {
  if (status < 400) return paint.good;
  return status < 500 ? paint.caution : paint.bad;
}

/** A text followed by less important details, which go on a line below if there is no room. */
function withEnd(text: string, end: string, room: number, paint: Paint): string[] {
  const [first = "", ...more] = fold(text, room);
  const lines = [first, ...indent(more, 2)];
  const last = lines.at(-1) ?? "";
  if (columnsOf(last) + 1 + end.length > room) return [...lines, `  ${paint.quiet(end)}`];
  return [...lines.slice(0, -1), `${last} ${paint.quiet(end)}`];
}

/** The first characters of a page say nothing; the first words of an error page say more. */
function bodyExcerpt({ status, headers, body }: RecordedResponse): string {
  if (body.size === 0) return isUnseen(headers) ? "(the page was left before its body was read)" : "with an empty body";
  if (!isPage(headers) || !bodyText(body).includes("<")) return excerpt(body);
  const words = status < 400 ? "" : pageText(bodyText(body));
  return `an HTML page (${plural(body.size, "byte")})${words === "" ? "" : `: ${words}`}`;
}

/** Whether an answer had a body that Chromium did not keep. */
function isUnseen(headers: RecordedResponse["headers"]): boolean {
  return Number(headerValue(headers, "content-length") ?? 0) > 0;
}

/** A style sheet, script, picture or font that loaded successfully: its content says nothing about the login. */
function isPartOfPage({ status, headers }: RecordedResponse): boolean {
  const type = mediaType(headerValue(headers, "content-type"));
  return status < 300 && /^(text\/css|(text|application)\/javascript|(image|font)\/.*)$/.test(type);
}

function isPage(headers: RecordedResponse["headers"]): boolean {
  return mediaType(headerValue(headers, "content-type")) === "text/html";
}

function foldedBody(text: string, room: number): string[] {
  return indent(fold(text, Math.max(MIN_ROOM, room)), 2);
}

/** What authenticates the call, in words: the claims of the token, or the name of the signature's header. */
function credentials(raw: Exchange, { request }: Exchange): string[] {
  const jwt = bearerJwt(raw);
  if (jwt !== null) {
    const { alg } = jwt.header as { alg?: string };
    const { iat, exp, ...claims } = jwt.claims as Record<string, unknown>;
    const shown = ["aud", "sub"].map((name) =>
      claims[name] === undefined ? `no ${name}` : `${name} ${String(claims[name])}`,
    );
    const lifetime =
      typeof exp === "number" && typeof iat === "number" ? (exp > iat ? `, valid ${exp - iat} s` : ", expired") : "";
    return [harmlessLine(`  JWT ${alg}: ${shown.join(", ")}${lifetime}`)];
  }
  const signature = request.headers.find(([name]) => /signature/i.test(name));
  return signature === undefined ? [] : [`  ${signature[0]}: HMAC-SHA256 over these ${request.body.size} bytes`];
}

/** For a compressed body, its content and its compressed size. */
function requestExcerpt({ headers, body }: RecordedRequest): string {
  const content = headerValue(headers, "content-encoding") === "gzip" ? gunzip(bodyBytes(body)) : null;
  if (content === null) return excerpt(body);
  return `in gzip, ${plural(body.size, "byte")}: ${excerpt(recordBody(content)).trim()}`;
}

function excerpt(body: RecordedBody): string {
  const text = clip(harmlessLine(bodyText(body)), EXCERPT_CHARACTERS);
  return text.endsWith("…") ? `${text} (${withCommas(body.size)} bytes)` : text;
}

const phaseWords: Record<CallPhase, string> = {
  connect: "while connecting",
  headers: "while waiting for the answer",
  body: "while reading the answer",
};

/** Every outcome in a few words. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "answered":
      return "answered";
    case "timed-out":
      return `timed out after ${outcome.limitMs / 1000} s ${phaseWords[outcome.phase]}`;
    case "unreachable":
    case "tls-failed":
      return `${outcome.kind} (${outcome.code})`;
    case "disconnected":
      return `disconnected ${phaseWords[outcome.phase]}`;
    case "too-large":
      return `too large (limit ${withCommas(outcome.limit)} bytes)`;
    case "undecodable":
      return `undecodable (${harmlessLine(outcome.encoding)})`;
    case "cut-off":
      return `app-sim stopped reading (${harmlessLine(outcome.detail)})`;
    case "not-http":
    case "interrupted":
      return outcome.kind;
  }
}

/** An exchange in full: every header line, the token's claims, both bodies. */
export function exchangeDetails(raw: Exchange, redactor: Redactor, paint: Paint): string[] {
  const exchange = redactor.exchange(raw);
  const { request, response, timings, outcome } = exchange;
  const jwt = bearerJwt(raw);
  return [
    `${paint.strong(harmlessLine(exchange.id))}  ${harmlessLine(`${exchange.purpose} ${exchange.module ?? ""}`).trimEnd()}  ${harmlessLine(exchange.startedAt)}`,
    `${outcomeText(outcome)} in ${timings.totalMs} ms (${timingText(timings)})`,
    "",
    paint.strong(harmlessLine(`→ ${request.method} ${request.url}`)),
    ...request.headers.map(headerLine),
    ...(jwt === null
      ? []
      : [
          paint.quiet("  the token's content:"),
          ...indented(JSON.stringify(jwt.header)),
          ...indented(redactor.text(JSON.stringify(jwt.claims, null, 2))),
        ]),
    ...bodyLines(request.body, raw.request.body.size, paint),
    "",
    paint.strong(response === null ? `← no answer: ${outcomeText(outcome)}` : `← ${response.status}`),
    ...(response?.headers.map(headerLine) ?? []),
    ...(response === null ? [] : bodyLines(response.body, raw.response?.body.size ?? 0, paint)),
  ];
}

function headerLine([name, value]: readonly [string, string]): string {
  return `  ${harmlessLine(name)}: ${harmlessLine(value)}`;
}

function bodyLines(body: RecordedBody, size: number, paint: Paint): string[] {
  const text = bodyText(body);
  const cut = body.size > Buffer.byteLength(body.base64, "base64") ? " (only the beginning was kept)" : "";
  return [paint.quiet(`  ${withCommas(size)} bytes${cut}`), ...(text === "" ? [] : indented(prettyJson(text)))];
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function indented(text: string): string[] {
  return harmless(text)
    .split("\n")
    .map((line) => `  ${line}`);
}

/** Lines of a journal's exchange: in short, unless `show` says otherwise. */
export function exchangeLines(
  journal: Journal,
  secrets: readonly string[],
  paint: Paint,
  show = exchangeSummary,
): ExchangeLines {
  const redactor = new Redactor(secrets);
  return (id) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? show(record, redactor, paint) : [];
  };
}

/** How long each stage took: `connect 0.4 ms, headers 3 ms, body 1.1 ms`. */
export function timingText(timings: Timings): string {
  return timingPhases(timings)
    .map(({ name, ms }) => `${name} ${ms} ms`)
    .join(", ");
}
