import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { buildConnector, Client } from "undici";
import type { CallPhase, FailedOutcome, HeaderLines } from "../journal/exchange.ts";
import type { AppAnswer, AppCall, AppGateway, AppResponse, Clock } from "./ports.ts";
import { takeTurns } from "./take-turns.ts";
import { listens } from "./wait-for-app.ts";

/**
 * Connections that are open at a time (hardening R34): fewer than any system lets wait to be accepted (128), so that
 * a thousand logins are no fault of the app's.
 */
const AT_A_TIME = 100;

/**
 * Calls the app over HTTP. Redirects are never followed (hardening S18), the time limit is total and
 * monotonic (S19), the answer is capped while it streams (S20), at most one gzip layer is undone (S16, S17).
 * Whatever the app or the network does is the outcome. When very many calls are made at once, some wait for others
 * to end; their time limit begins when they do begin. A call rejects only if it cannot be sent at all: its URL
 * is not http(s), or a header is none that HTTP allows.
 */
export function createAppGateway(clock: Clock): AppGateway {
  const inTurn = takeTurns(AT_A_TIME);
  return { call: (call) => inTurn(() => performCall(call, clock)) };
}

interface Progress {
  phase: CallPhase;
  /** What went wrong with the connection first; undici passes on the last, or nothing. */
  socketError: Error | null;
  head: Pick<AppResponse, "status" | "headers"> | null;
  headersMs: number | null;
  readonly chunks: Buffer[];
  size: number;
}

async function performCall(call: AppCall, clock: Clock): Promise<AppAnswer> {
  const started = clock.monotonic();
  const elapsed = () => Math.round((clock.monotonic() - started) * 10) / 10;
  const progress: Progress = {
    phase: "connect",
    socketError: null,
    head: null,
    headersMs: null,
    chunks: [],
    size: 0,
  };
  const failure: FailedOutcome | null =
    call.signal?.aborted === true ? { kind: "interrupted" } : await attempt(call, progress, elapsed);
  const facts = { sentHeaders: sentHeaders(call), timings: { headersMs: progress.headersMs, totalMs: elapsed() } };
  const response = progress.head && { ...progress.head, raw: Buffer.concat(progress.chunks), size: progress.size };
  if (failure !== null || response === null)
    return { ...facts, ok: false, outcome: failure ?? { kind: "interrupted" }, response };
  const decoded = await decode(response, call.sizeLimit);
  return Buffer.isBuffer(decoded)
    ? { ...facts, ok: true, response, body: decoded }
    : { ...facts, ok: false, outcome: decoded, response };
}

/** Fills in `progress` as the call goes on; null when the answer came to its end. */
async function attempt(call: AppCall, progress: Progress, elapsed: () => number): Promise<FailedOutcome | null> {
  const url = new URL(call.url);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
  const signal = AbortSignal.any([timeout.signal, ...(call.signal === undefined ? [] : [call.signal])]);
  const client = openClient(url, signal, progress);
  try {
    const error = await send(client, url, call, progress, elapsed);
    if (error === null) return null;
    if (progress.size > call.sizeLimit) return { kind: "too-large", limit: call.sizeLimit, decoded: false };
    if (call.signal?.aborted === true) return { kind: "interrupted" };
    if (timeout.signal.aborted) return { kind: "timed-out", phase: progress.phase, limitMs: call.timeoutMs };
    return await explain(error, progress.phase, url);
  } finally {
    clearTimeout(timer);
    await client.destroy();
    // A socket listens to its signal for ever, and a signal that is listened to is kept: one that is over is not.
    timeout.abort();
  }
}

/**
 * A client for one request. A connection of its own for each call: a reused one may be closed by the app just
 * then, which would look like a fault of the app.
 */
function openClient(url: URL, signal: AbortSignal, progress: Progress): Client {
  // The signal is given to the socket: undici heeds that of a request only once it is connected.
  const connector = buildConnector({ timeout: 0, signal });
  return new Client(url.origin, {
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      connector(options, (...result) => {
        result[1]?.once("error", (error) => {
          progress.socketError = error;
        });
        callback(...result);
      }),
  });
}

/** Resolves with what kept the answer from its end, or null; fills in `progress` on the way. */
function send(
  client: Client,
  url: URL,
  { method, headers, body, sizeLimit }: AppCall,
  progress: Progress,
  elapsed: () => number,
): Promise<NodeJS.ErrnoException | null> {
  const bytes = body.length > 0 ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : null;
  return new Promise((resolve) => {
    client.dispatch(
      { method, path: url.pathname + url.search, headers: headers.flat(), body: bytes },
      {
        onRequestStart() {
          progress.phase = "headers";
        },
        onResponseStart({ rawHeaders }, status) {
          if (status < 200) return;
          progress.phase = "body";
          progress.head = { status, headers: headerLines(rawHeaders) };
          progress.headersMs = elapsed();
        },
        onResponseData(controller, chunk) {
          progress.size += chunk.length;
          if (progress.size > sizeLimit) controller.abort(new Error("too large"));
          else progress.chunks.push(chunk);
        },
        // undici takes a reset for the end of a body that has neither a length nor chunks (R5).
        onResponseEnd: () => resolve(progress.socketError),
        onResponseError: (_controller, error) =>
          resolve(hasNoBody(progress, error) ? null : (progress.socketError ?? error)),
      },
    );
  });
}

/** A 304 may give the length of the body it does not have (RFC 9110, 8.6); undici waits for that body. */
function hasNoBody({ head }: Progress, error: NodeJS.ErrnoException): boolean {
  return error.code === LENGTH_MISMATCH && (head?.status === 304 || head?.status === 204);
}

const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** The header lines as they stand on the wire: those of the call between what HTTP itself adds. */
function sentHeaders({ url, headers, body, method }: AppCall): HeaderLines {
  const length: HeaderLines = body.length > 0 || method === "POST" ? [["content-length", String(body.length)]] : [];
  return [["host", new URL(url).host], ["connection", "close"], ...headers, ...length];
}

/** undici gives raw headers as a flat list of names and values, whatever its types say. */
function headerLines(raw: unknown): HeaderLines {
  const flat = (raw as Buffer[]).map((text) => text.toString("latin1"));
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));
}

async function explain(error: NodeJS.ErrnoException, phase: CallPhase, url: URL): Promise<FailedOutcome> {
  // Several addresses were tried; each has its own error.
  const cause: NodeJS.ErrnoException = error instanceof AggregateError ? error.errors[0] : error;
  const code = cause.code ?? "";
  const detail = describe(cause);
  if (code === "UND_ERR_INVALID_ARG") throw error;
  const fault = httpFault(cause, phase);
  if (fault !== null) return { kind: "not-http", detail: fault };
  const offNetwork = cause.syscall !== "connect" && cause.syscall !== "getaddrinfo";
  // TLS 1.3 lets the client go on before the server has judged its certificate, so TLS may fail in any phase.
  if (code.startsWith("ERR_SSL_") || (url.protocol === "https:" && phase === "connect" && offNetwork)) {
    return { kind: "tls-failed", code: code || "UNKNOWN", detail };
  }
  if (phase !== "connect") return { kind: "disconnected", phase, detail };
  const elsewhere = code === "ECONNREFUSED" ? await otherLoopback(url) : null;
  return { kind: "unreachable", code: code || "UNKNOWN", detail, elsewhere };
}

/** What is wrong with bytes that are no HTTP answer (R8 to R11); null when too few of them arrived. */
function httpFault({ name, code, message }: NodeJS.ErrnoException, phase: CallPhase): string | null {
  // A parser error of undici has no code.
  if (name === "HTTPParserError") return message.includes("Invalid EOF state") ? null : message;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "its headers are too large";
  if (code === LENGTH_MISMATCH) return phase === "body" ? null : "its Content-Length cannot be right";
  if (code === "ERR_ASSERTION" || message === "bad response" || message === "bad upgrade") {
    return "its status is below 200, which nothing asked for";
  }
  return null;
}

/** An app that listens on ::1 only, while 127.0.0.1 is called, or the reverse (hardening R3). */
async function otherLoopback(url: URL): Promise<string | null> {
  const other = { "127.0.0.1": "[::1]", "[::1]": "127.0.0.1" }[url.hostname];
  if (other === undefined) return null;
  const there = new URL(url.origin);
  there.hostname = other;
  return (await listens(there.href)) ? there.origin : null;
}

async function decode({ raw, headers }: AppResponse, limit: number): Promise<Buffer | FailedOutcome> {
  const codings = headers
    .flatMap(([name, value]) => (name.toLowerCase() === "content-encoding" ? value.toLowerCase().split(",") : []))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0 || raw.length === 0) return raw;
  const encoding = codings.join(", ");
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    return { kind: "undecodable", encoding, detail: "at most one layer of gzip is undone" };
  }
  try {
    return await promisify(gunzip)(raw, { maxOutputLength: limit });
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large", limit, decoded: true };
    return { kind: "undecodable", encoding, detail: describe(cause) };
  }
}

/** What an error says, in one line. */
function describe({ message, code = "", reason }: NodeJS.ErrnoException & { readonly reason?: string }): string {
  // The message of an OpenSSL error is full of addresses and source lines.
  const text = code.startsWith("ERR_SSL_") ? reason : message;
  return (text || code).replaceAll(/\s+/g, " ").trim();
}
