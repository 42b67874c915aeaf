import { Readable } from "node:stream";
import { buildConnector, Client } from "undici";
import type { CallPhase, FailedOutcome, HeaderLines } from "../journal/exchange.ts";
import { BODY_LIMIT } from "../journal/journal.ts";
import { type ByteCollector, collectBytes } from "../protocol/byte-collector.ts";
import { outcomeOfError } from "./call-faults.ts";
import { decodeBody } from "./decode-body.ts";
import { forbiddenHost, permittedLookup } from "./permitted-lookup.ts";
import type { AppAnswer, AppCall, AppGateway, AppResponse, Clock } from "./ports.ts";
import { createSocketValve, type SocketValve } from "./socket-valve.ts";
import { takeTurns } from "./take-turns.ts";
import { hasNoBody, headerLines } from "./undici-answer.ts";

/**
 * Connections that are open at a time (hardening R34): fewer than any system lets wait to be accepted (128), so that
 * a thousand logins are no fault of the app's.
 */
const AT_A_TIME = 100;

/** So small that a body of a few events has several chunks. */
const REQUEST_CHUNK_BYTES = 64;

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
  /** The beginning of the body as it came. */
  readonly raw: ByteCollector;
  /** Bytes of the body that came. */
  size: number;
  /** The body decoded, unless something else takes it. */
  readonly body: ByteCollector;
  readonly valve: SocketValve;
}

async function performCall(call: AppCall, clock: Clock): Promise<AppAnswer> {
  const started = clock.monotonic();
  const elapsed = () => Math.round((clock.monotonic() - started) * 10) / 10;
  const progress: Progress = {
    phase: "connect",
    socketError: null,
    head: null,
    headersMs: null,
    raw: collectBytes(),
    size: 0,
    body: collectBytes(),
    valve: createSocketValve(),
  };
  const failure: FailedOutcome | null =
    call.signal?.aborted === true ? { kind: "interrupted" } : await attempt(call, progress, elapsed);
  const facts = { sentHeaders: sentHeaders(call), timings: { headersMs: progress.headersMs, totalMs: elapsed() } };
  const response = progress.head && { ...progress.head, raw: progress.raw.take(), size: progress.size };
  if (failure !== null || response === null)
    return { ...facts, ok: false, outcome: failure ?? { kind: "interrupted" }, response };
  return { ...facts, ok: true, response, body: progress.body.take() };
}

/** Fills in `progress` as the call goes on; null when the answer came to its end. */
async function attempt(call: AppCall, progress: Progress, elapsed: () => number): Promise<FailedOutcome | null> {
  const url = new URL(call.url);
  const forbidden = call.mayConnectTo === undefined ? null : forbiddenHost(url, call.mayConnectTo);
  if (forbidden !== null) return outcomeOfError(forbidden, progress.phase, url);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
  const signal = AbortSignal.any([timeout.signal, ...(call.signal === undefined ? [] : [call.signal])]);
  const client = openClient(url, call, signal, progress);
  try {
    const ended = await send(client, url, call, signal, progress, elapsed);
    if (!(ended instanceof Error)) return ended;
    if (progress.size > call.sizeLimit) return { kind: "too-large", limit: call.sizeLimit, decoded: false };
    if (call.signal?.aborted === true) return { kind: "interrupted" };
    if (timeout.signal.aborted) return { kind: "timed-out", phase: progress.phase, limitMs: call.timeoutMs };
    return await outcomeOfError(ended, progress.phase, url);
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
function openClient(url: URL, { mayConnectTo }: AppCall, signal: AbortSignal, progress: Progress): Client {
  // The signal is given to the socket: undici heeds that of a request only once it is connected.
  const connector = buildConnector({
    timeout: 0,
    signal,
    ...(mayConnectTo === undefined ? {} : { lookup: permittedLookup(mayConnectTo) }),
  });
  return new Client(url.origin, {
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      connector(options, (...result) => {
        const [, socket] = result;
        socket?.once("error", (error) => {
          progress.socketError = error;
        });
        if (socket) progress.valve.attach(socket);
        callback(...result);
      }),
  });
}

/**
 * Resolves with what kept the answer from its end, or null; fills in `progress` on the way. Whatever takes the body
 * may be slow, and is waited for until the signal is aborted.
 */
function send(
  client: Client,
  url: URL,
  call: AppCall,
  signal: AbortSignal,
  progress: Progress,
  elapsed: () => number,
): Promise<FailedOutcome | NodeJS.ErrnoException | null> {
  const { method, headers, sizeLimit } = call;
  return new Promise((resolve, reject) => {
    let stream: Readable | null = null;
    const fail = (error: Error) => {
      resolve(error);
      stream?.destroy();
    };
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
    client.dispatch(
      { method, path: url.pathname + url.search, headers: headers.flat(), body: requestBody(call) },
      {
        onRequestStart() {
          progress.phase = "headers";
        },
        onResponseStart(controller, status) {
          if (status < 200) return;
          progress.phase = "body";
          progress.head = { status, headers: headerLines(controller.rawHeaders) };
          progress.headersMs = elapsed();
          stream = new Readable({ read: () => progress.valve.open() });
          decodeBody(stream, progress.head.headers, sizeLimit, taker(call, status, progress)).then(resolve, reject);
        },
        onResponseData(controller, chunk) {
          progress.size += chunk.length;
          if (progress.size > sizeLimit) return controller.abort(new Error("too large"));
          keep(progress.raw, chunk, BODY_LIMIT);
          if (stream?.push(chunk) === false) progress.valve.close();
        },
        // undici takes a reset for the end of a body that has neither a length nor chunks (R5).
        onResponseEnd: () => (progress.socketError === null ? stream?.push(null) : fail(progress.socketError)),
        onResponseError(_controller, error) {
          if (hasNoBody(progress.head?.status, error)) stream?.push(null);
          else fail(progress.socketError ?? error);
        },
      },
    );
  });
}

/** What is given the decoded body of an answer with this status. */
function taker({ take, sizeLimit }: AppCall, status: number, { body }: Progress): NonNullable<AppCall["take"]> {
  const limit = take === undefined ? sizeLimit : BODY_LIMIT;
  const isSuccess = status >= 200 && status < 300;
  return take !== undefined && isSuccess ? take : (chunk) => keep(body, chunk, limit);
}

/** Appends what there is room for. */
function keep(collector: ByteCollector, chunk: Buffer, limit: number): void {
  collector.append(chunk.subarray(0, limit - collector.length));
}

/** Bytes of known length, or a stream of chunks: HTTP tells the length of the one and not of the other. */
function requestBody({ body, chunked = false }: AppCall): Buffer | Readable | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!chunked) return bytes.length > 0 ? bytes : null;
  const chunks = Array.from({ length: Math.ceil(bytes.length / REQUEST_CHUNK_BYTES) }, (_, index) =>
    bytes.subarray(index * REQUEST_CHUNK_BYTES, (index + 1) * REQUEST_CHUNK_BYTES),
  );
  return Readable.from(chunks);
}

/** The header lines as they stand on the wire: those of the call between what HTTP itself adds. */
function sentHeaders({ url, headers, body, method, chunked = false }: AppCall): HeaderLines {
  const length: HeaderLines = body.length > 0 || method === "POST" ? [["content-length", String(body.length)]] : [];
  const framing: HeaderLines = chunked ? [["transfer-encoding", "chunked"]] : length;
  return [["host", new URL(url).host], ["connection", "close"], ...headers, ...framing];
}
