import { decodeJwt } from "../journal/credentials.ts";
import {
  type Exchange,
  headerValue,
  type Outcome,
  type RecordedBody,
  type RecordedResponse,
} from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { redactExchange, redactText } from "../journal/redact.ts";
import { clip, harmless, harmlessLine } from "../protocol/harmless.ts";
import type { Paint } from "./paint.ts";

const EXCERPT_CHARACTERS = 160;
/** Columns that callers indent an exchange by, at most. */
const INDENTED = 10;
/** Beside a short answer on its line: status, time and the exchange. */
const AROUND_ANSWER = 40;

/** An exchange in short: what was sent and what came back, without secrets, a few lines of plain text. */
export function exchangeSummary(raw: Exchange, secrets: readonly string[], paint: Paint): string[] {
  const exchange = redactExchange(raw, secrets);
  const { request, response, timings } = exchange;
  const room = paint.width - INDENTED;
  const [start = "", ...rest] = folded(harmlessLine(`→ ${request.method} ${request.url}`), room);
  const sent = [start.trimStart(), ...rest, ...credentials(raw, exchange)];
  const body = request.body.size > 0 ? folded(excerpt(request.body), room) : [];
  const end = paint.quiet(`in ${timings.totalMs} ms  exchange ${exchange.id}`);
  if (response === null) return [...sent, ...body, `← ${outcomeText(exchange.outcome)} ${end}`];
  const answer = answerText(exchange);
  const came =
    answer.length <= room - AROUND_ANSWER
      ? [`← ${response.status} ${answer} ${end}`]
      : [`← ${response.status} ${end}`, ...folded(answer, room)];
  return [...sent, ...body, ...came];
}

function answerText({ outcome, response }: Exchange): string {
  const location = headerValue(response?.headers ?? [], "location");
  if (outcome.kind === "answered" && location !== undefined) return `to ${harmlessLine(location)}`;
  const body = response === null || response.body.size === 0 ? "with an empty body" : bodyExcerpt(response);
  return outcome.kind === "answered" ? body : `${outcomeText(outcome)}; so far ${body.trim()}`;
}

/** A page says nothing in its first characters. */
function bodyExcerpt({ headers, body }: RecordedResponse): string {
  const isPage = /^text\/html\b/i.test(headerValue(headers, "content-type") ?? "");
  return isPage ? `an HTML page (${body.size.toLocaleString("en-US")} bytes)` : excerpt(body);
}

/** A text without spaces, as JSON is, on as many lines as it needs. */
function folded(text: string, room: number): string[] {
  const characters = [...text];
  const length = Math.max(20, Math.min(room, characters.length));
  const lines = Array.from({ length: Math.ceil(characters.length / length) }, (_, line) =>
    characters.slice(line * length, (line + 1) * length).join(""),
  );
  return lines.map((line) => `  ${line}`);
}

function bearerJwt({ request }: Exchange): ReturnType<typeof decodeJwt> {
  const token = /^Bearer (.+)$/i.exec(headerValue(request.headers, "authorization") ?? "")?.[1];
  return token === undefined ? null : decodeJwt(token);
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

function excerpt(body: RecordedBody): string {
  const text = clip(harmlessLine(bodyText(body)), EXCERPT_CHARACTERS);
  return text.endsWith("…") ? `${text} (${body.size.toLocaleString("en-US")} bytes)` : text;
}

/** Every outcome in a few words. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "answered":
      return "answered";
    case "timed-out":
      return `timed out after ${outcome.limitMs / 1000} s (${outcome.phase})`;
    case "unreachable":
    case "tls-failed":
      return `${outcome.kind} (${outcome.code})`;
    case "disconnected":
      return `disconnected (${outcome.phase})`;
    case "too-large":
      return `too large (limit ${outcome.limit.toLocaleString("en-US")} bytes)`;
    case "undecodable":
      return `undecodable (${harmlessLine(outcome.encoding)})`;
    case "not-http":
    case "interrupted":
      return outcome.kind;
  }
}

/** An exchange in full: every header line, the token's claims, both bodies. */
export function exchangeDetails(raw: Exchange, secrets: readonly string[], paint: Paint): string[] {
  const exchange = redactExchange(raw, secrets);
  const { request, response, timings, outcome } = exchange;
  const jwt = bearerJwt(raw);
  return [
    `${paint.strong(harmlessLine(exchange.id))}  ${harmlessLine(`${exchange.purpose} ${exchange.module ?? ""}`).trimEnd()}  ${harmlessLine(exchange.startedAt)}`,
    `${outcomeText(outcome)} in ${timings.totalMs} ms${timings.headersMs === null ? "" : ` (headers after ${timings.headersMs} ms)`}`,
    "",
    paint.strong(harmlessLine(`→ ${request.method} ${request.url}`)),
    ...request.headers.map(headerLine),
    ...(jwt === null
      ? []
      : [
          paint.quiet("  the token says:"),
          ...indented(JSON.stringify(jwt.header)),
          ...indented(redactText(JSON.stringify(jwt.claims, null, 2), secrets)),
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
  return [
    paint.quiet(`  ${size.toLocaleString("en-US")} bytes${cut}`),
    ...(text === "" ? [] : indented(prettyJson(text))),
  ];
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
