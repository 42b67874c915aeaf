import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { type Exchange, type HeaderLines, headerValue, type RecordedBody, type Timings } from "../journal/exchange.ts";
import { inTurns } from "../journal/in-turns.ts";
import { bodyBytes } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { type TimingPhase, timingPhases } from "../journal/timing-phases.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { jsonLine } from "../output/json.ts";

/** What the interface and the journal do not tell, by the HAR specification. */
const UNKNOWN = -1;
const HTTP_VERSION = "HTTP/1.1";
const NO_TYPE = "x-unknown";

/**
 * The exchanges among these records as an HTTP archive, HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/),
 * without secrets: cookies are left out. Members whose names begin with `_` are app-sim's own, as the specification has it.
 * It comes in pieces: that of a full journal is longer than a text can be.
 */
export async function harText(
  records: readonly JournalRecord[],
  redactor: Redactor,
  version: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const exchanges = records.filter((record) => record.type === "exchange");
  const entries = await inTurns(exchanges, signal, (exchange) => jsonLine(entryOfHar(redactor.exchange(exchange))));
  const head = jsonLine({ version: "1.2", creator: { name: "app-sim", version }, pages: [] });
  return [
    `{"log":${head.slice(0, head.lastIndexOf("}"))},"entries":[\n`,
    ...entries.map((entry, index) => (index === 0 ? entry : `,${entry}`)),
    "]}}\n",
  ];
}

/** What a person's browser asks for. */
const pages: readonly Exchange["purpose"][] = ["guard-page", "visit", "authorize", "consent"];

function entryOfHar(exchange: Exchange) {
  const { id, purpose, module, startedAt, timings, outcome, request, response } = exchange;
  return {
    startedDateTime: startedAt,
    time: timings.totalMs,
    request: requestOf(request),
    response: response === null ? noResponse() : responseOf(response),
    cache: {},
    timings: timingsOf(timings),
    comment: [purpose, ...(module === null ? [] : [module]), `exchange ${id}`].join(" "),
    _exchange: id,
    // Of Chrome, which else takes all of them for scripts.
    _resourceType: pages.includes(purpose) ? "document" : "fetch",
    ...(outcome.kind === "answered" ? {} : { _error: outcomeText(outcome) }),
  };
}

/** The journal keeps when each stage ended: what is sent counts as waiting, a name that is looked up as connecting. */
function timingsOf(timings: Timings) {
  const phases = timingPhases(timings);
  const of = (...names: readonly TimingPhase["name"][]) => phases.find(({ name }) => names.includes(name))?.ms;
  return {
    blocked: UNKNOWN,
    dns: UNKNOWN,
    // That of TLS is a part of it.
    connect: timings.tlsMs ?? timings.connectMs ?? UNKNOWN,
    ssl: of("TLS") ?? UNKNOWN,
    send: 0,
    wait: of("headers", "until the headers", "no answer") ?? 0,
    receive: of("body") ?? 0,
  };
}

function requestOf({ method, url, headers, body }: Exchange["request"]) {
  return {
    method,
    url,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: namedValues(headers),
    queryString: queryOf(url),
    ...(body.size === 0 ? {} : { postData: postDataOf(headers, body) }),
    headersSize: UNKNOWN,
    bodySize: body.size,
  };
}

function postDataOf(headers: HeaderLines, body: RecordedBody) {
  const mimeType = headerValue(headers, "content-type") ?? NO_TYPE;
  const bytes = bodyBytes(readableBody(headers, body));
  const cut = cutNote(body);
  if (isUtf8(bytes)) return { mimeType, text: bytes.toString(), ...(cut === null ? {} : { comment: cut }) };
  // The specification has no encoding for what is sent.
  return {
    mimeType,
    text: bytes.toString("base64"),
    comment: ["in base64", ...(cut === null ? [] : [cut])].join(", "),
  };
}

function responseOf({ status, headers, body }: NonNullable<Exchange["response"]>) {
  const bytes = bodyBytes(readableBody(headers, body));
  const isText = isUtf8(bytes);
  const cut = cutNote(body);
  return {
    status,
    statusText: STATUS_CODES[status] ?? "",
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: namedValues(headers),
    content: {
      size: bytes.length,
      mimeType: headerValue(headers, "content-type") ?? NO_TYPE,
      text: bytes.toString(isText ? "utf8" : "base64"),
      ...(isText ? {} : { encoding: "base64" }),
      ...(cut === null ? {} : { comment: cut }),
    },
    redirectURL: headerValue(headers, "location") ?? "",
    headersSize: UNKNOWN,
    bodySize: body.size,
  };
}

/** As browsers write a request that got no answer. */
function noResponse() {
  return {
    status: 0,
    statusText: "",
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: [],
    content: { size: 0, mimeType: NO_TYPE },
    redirectURL: "",
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
  };
}

function cutNote(body: RecordedBody): string | null {
  const kept = bodyBytes(body).length;
  return kept < body.size ? `the first ${kept} of ${body.size} bytes` : null;
}

function namedValues(headers: HeaderLines): { name: string; value: string }[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function queryOf(url: string): { name: string; value: string }[] {
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  return Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value }));
}
