import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { type Exchange, type HeaderLines, headerValue, type RecordedBody, type Timings } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { mapYielding } from "../journal/map-yielding.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { type TimingPhase, timingPhases } from "../journal/timing-phases.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { jsonLine } from "../output/json.ts";

/** The HAR specification's value for anything not known. */
const UNKNOWN = -1;
const HTTP_VERSION = "HTTP/1.1";
const NO_TYPE = "x-unknown";

/**
 * The exchanges among these records as an HTTP archive, HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/),
 * without secrets: cookies are omitted. Members whose names begin with `_` are app-sim's own, as the specification
 * provides. Returned in pieces, because a full journal would exceed the maximum length of a string.
 */
export async function harText(
  records: readonly JournalRecord[],
  redactor: Redactor,
  version: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const exchanges = records.filter((record) => record.type === "exchange");
  const entries = await mapYielding(exchanges, signal, (exchange) => jsonLine(entryOfHar(redactor.exchange(exchange))));
  const head = jsonLine({ version: "1.2", creator: { name: "app-sim", version }, pages: [] });
  return [
    `{"log":${head.slice(0, head.lastIndexOf("}"))},"entries":[\n`,
    ...entries.map((entry, index) => (index === 0 ? entry : `,${entry}`)),
    "]}}\n",
  ];
}

/** Requests of a person's browser. */
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
    // A Chrome extension; without it Chrome treats all of them as scripts.
    _resourceType: pages.includes(purpose) ? "document" : "fetch",
    ...(outcome.kind === "answered" ? {} : { _error: outcomeText(outcome) }),
  };
}

/** The journal records when each stage ended: sending counts as waiting, a DNS lookup as connecting. */
function timingsOf(timings: Timings) {
  const phases = timingPhases(timings);
  const of = (...names: readonly TimingPhase["name"][]) => phases.find(({ name }) => names.includes(name))?.ms;
  return {
    blocked: UNKNOWN,
    dns: UNKNOWN,
    // Includes the TLS handshake.
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
  // The specification has no encoding for request bodies.
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

/** How browsers write a request without an answer. */
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
