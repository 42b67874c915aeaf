import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { PeerCertificate } from "node:tls";
import { buildConnector, Client } from "undici";
import type { CallPhase, FailedOutcome, HeaderLines, Timings } from "../journal/exchange.ts";
import { BODY_LIMIT } from "../journal/journal.ts";
import { type ByteCollector, collectBytes } from "../protocol/byte-collector.ts";
import { hasNoBody, outcomeOfError, rawHeaderLines } from "./call-faults.ts";
import { decodeBody } from "./decode-body.ts";
import { expectsTls } from "./expects-tls.ts";
import { joinSignals } from "./joined-signal.ts";
import { limitConcurrency } from "./limit-concurrency.ts";
import { startListeningDeadline } from "./listening-deadline.ts";
import { forbiddenHost, permittedLookup } from "./permitted-lookup.ts";
import type { AppAnswer, AppCall, AppGateway, AppResponse, CallPauses, Clock, ServerTrust } from "./ports.ts";

/**
 * Connections that may be open at a time (hardening R34): fewer than 128, the smallest usual accept queue, so that a
 * thousand logins do not look like a fault of the app.
 */
const MAX_CONNECTIONS = 100;

/** Limit of an answer's header section: the default of Node's own clients. */
export const ANSWER_HEADERS_LIMIT = 16 * 1024;

/** Small, so that a body with a few events is sent in several chunks. */
const REQUEST_CHUNK_BYTES = 64;

/**
 * Creates the gateway that calls the app over HTTP. Redirects are never followed (hardening S18), the time limit covers
 * the whole call and is monotonic (S19), the answer's size is limited while it streams (S20), at most one gzip layer is
 * decoded (S16, S17). Whatever the app or the network does is an outcome. Calls beyond the connection limit wait for
 * others to end; their time limit starts when they do. A call rejects only if it cannot be sent at all: its URL is not
 * http(s), or HTTP does not allow one of its headers.
 * @param trust how every called server is authenticated; null: by this machine's certificate authorities
 */
export function createAppGateway(clock: Clock, trust: ServerTrust | null = null): AppGateway {
  const limited = limitConcurrency(MAX_CONNECTIONS);
  const answered = new Set<string>();
  return { call: (call) => limited(async () => withScheme(await performCall(call, clock, trust), call, answered)) };
}

/**
 * Adds to a call without a readable answer whether the app expects TLS. An app that has answered before is not asked: it
 * might log the handshake as a fault.
 */
async function withScheme(called: AppAnswer, call: AppCall, answered: Set<string>): Promise<AppAnswer> {
  const url = new URL(call.url);
  if (called.response !== null) answered.add(url.origin);
  if (called.ok || answered.has(url.origin)) return called;
  const { outcome } = called;
  if (outcome.kind !== "disconnected" && outcome.kind !== "not-http") return called;
  return (await expectsTls(url)) ? { ...called, outcome: { ...outcome, expectsTls: true } } : called;
}

/** Never shown. A new error for each call, with its stack, would take a tenth of the time of a call. */
const CALL_ENDED = new Error("the call has ended");

/** How far a call has got. */
interface Progress {
  /** Milliseconds since the call started. */
  readonly elapsed: () => number;
  phase: CallPhase;
  /** The first error of the connection; undici reports the last one, or none. */
  socketError: Error | null;
  head: Pick<AppResponse, "status" | "headers"> | null;
  /** When the stages of the call ended. */
  timings: Omit<Timings, "totalMs">;
  /** The start of the body as received. */
  readonly raw: ByteCollector;
  /** Bytes of the body received. */
  size: number;
  /** The decoded body, unless the call has a `take`. */
  readonly body: ByteCollector;
  readonly valve: SocketValve;
}

async function performCall(call: AppCall, clock: Clock, trust: ServerTrust | null): Promise<AppAnswer> {
  const started = clock.monotonic();
  const elapsed = () => Math.round((clock.monotonic() - started) * 10) / 10;
  const progress: Progress = {
    elapsed,
    phase: "connect",
    socketError: null,
    head: null,
    timings: { headersMs: null },
    raw: collectBytes(),
    size: 0,
    body: collectBytes(),
    valve: new SocketValve(),
  };
  const failure: FailedOutcome | null =
    call.signal?.aborted === true ? { kind: "interrupted" } : await attempt(call, progress, trust);
  const facts = { sentHeaders: sentHeaders(call), timings: { ...progress.timings, totalMs: elapsed() } };
  const response = progress.head && { ...progress.head, raw: progress.raw.take(), size: progress.size };
  if (failure !== null || response === null)
    return { ...facts, ok: false, outcome: failure ?? { kind: "interrupted" }, response };
  return { ...facts, ok: true, response, body: progress.body.take() };
}

/** Makes the call and updates `progress`; null if the complete answer was received. */
async function attempt(call: AppCall, progress: Progress, trust: ServerTrust | null): Promise<FailedOutcome | null> {
  const url = new URL(call.url);
  const forbidden = call.mayConnectTo === undefined ? null : forbiddenHost(url, call.mayConnectTo);
  if (forbidden !== null) return outcomeOfError(forbidden, progress.phase, url);
  await pausesOf(call)?.beforeConnect();
  const timeout = new AbortController();
  const deadline = startListeningDeadline(call.timeoutMs, () => timeout.abort());
  using joined = joinSignals([timeout.signal, call.signal]);
  const { signal } = joined;
  const client = openClient(url, call, { signal, progress, trust });
  try {
    const ended = await send(client, call, signal, progress);
    if (!(ended instanceof Error)) return ended;
    if (progress.size > call.sizeLimit) return { kind: "too-large", limit: call.sizeLimit, decoded: false };
    if (call.signal?.aborted === true) return { kind: "interrupted" };
    if (timeout.signal.aborted) return { kind: "timed-out", phase: progress.phase, limitMs: call.timeoutMs };
    return await outcomeOfError(ended, progress.phase, url);
  } finally {
    deadline[Symbol.dispose]();
    await client.destroy(CALL_ENDED);
    // A socket never stops listening to its signal, which keeps an unaborted signal in memory; aborting releases it.
    timeout.abort(CALL_ENDED);
  }
}

/**
 * A client for one request. Each call has its own connection: the app may close a reused one at any moment, which would
 * look like a fault of the app.
 */
function openClient(
  url: URL,
  call: AppCall,
  { signal, progress, trust }: { signal: AbortSignal; progress: Progress; trust: ServerTrust | null },
): Client {
  const { mayConnectTo } = call;
  // The socket gets the signal, because undici checks a request's signal only after connecting.
  const connector = buildConnector({
    timeout: 0,
    signal,
    ...(mayConnectTo === undefined ? {} : { lookup: permittedLookup(mayConnectTo) }),
    ...(trust === null ? {} : trustOnly(trust)),
  });
  return new Client(url.origin, {
    pipelining: 0,
    maxHeaderSize: ANSWER_HEADERS_LIMIT,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      const opened = connector(options, (...result) => {
        const [, socket] = result;
        socket?.once("error", (error) => {
          progress.socketError = error;
        });
        if (socket) progress.valve.attach(socket);
        pausesOf(call)?.connectEnded();
        callback(...result);
      });
      // undici passes the socket here, whatever its types say.
      timeConnection(opened as unknown as Socket, progress);
    },
  });
}

/** Notes when the connection is established, and when it is encrypted. */
function timeConnection(socket: Socket, { timings, elapsed }: Progress): void {
  socket.once("connect", () => {
    timings.connectMs = elapsed();
  });
  socket.once("secureConnect", () => {
    timings.tlsMs = elapsed();
  });
}

/** Options of a TLS connection to a server that must be authenticated this way. */
function trustOnly({ ca, fingerprint }: ServerTrust) {
  if (fingerprint === null) return { ca };
  // The user's own certificate may be for a name other than 127.0.0.1, and its issuer need not be trusted here.
  const checkServerIdentity = (_host: string, { fingerprint256 }: PeerCertificate) =>
    fingerprint256 === fingerprint ? undefined : new Error("it has another certificate");
  return { ca, allowPartialTrustChain: true, checkServerIdentity };
}

/**
 * Sends the request and updates `progress`. Resolves with the error that kept the answer from being received
 * completely, or null. The call's `take` may be slow; it is awaited until the signal is aborted.
 */
function send(
  client: Client,
  call: AppCall,
  signal: AbortSignal,
  progress: Progress,
): Promise<FailedOutcome | NodeJS.ErrnoException | null> {
  const { method, headers, sizeLimit } = call;
  const url = new URL(call.url);
  return new Promise((resolve, reject) => {
    let stream: Readable | null = null;
    const fail = (error: Error) => {
      resolve(error);
      stream?.destroy();
    };
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
    client.dispatch(
      {
        method,
        path: url.pathname + url.search,
        headers: [...headers, ...statedLength(call)].flat(),
        body: requestBody(call),
      },
      {
        onRequestStart() {
          progress.phase = "headers";
        },
        onResponseStart(controller, status) {
          if (status < 200) return;
          progress.phase = "body";
          progress.head = { status, headers: rawHeaderLines(controller.rawHeaders) };
          progress.timings.headersMs = progress.elapsed();
          stream = new Readable({ read: () => progress.valve.open() });
          decodeBody(stream, progress.head.headers, sizeLimit, taker(call, status, progress)).then(resolve, reject);
        },
        onResponseData(controller, chunk) {
          progress.size += chunk.length;
          if (progress.size > sizeLimit) return controller.abort(new Error("too large"));
          keep(progress.raw, chunk, BODY_LIMIT);
          if (stream?.push(chunk) === false) progress.valve.close();
        },
        // undici treats a reset as the end of a body that has neither a length nor chunks (R5).
        onResponseEnd: () => (progress.socketError === null ? stream?.push(null) : fail(progress.socketError)),
        onResponseError(_controller, error) {
          if (hasNoBody(progress.head?.status, error)) stream?.push(null);
          else fail(progress.socketError ?? error);
        },
      },
    );
  });
}

/** The function that receives the decoded body of an answer with this status. */
function taker({ take, sizeLimit }: AppCall, status: number, { body }: Progress): NonNullable<AppCall["take"]> {
  const limit = take === undefined ? sizeLimit : BODY_LIMIT;
  const isSuccess = status >= 200 && status < 300;
  return take !== undefined && isSuccess ? take : (chunk) => keep(body, chunk, limit);
}

function keep(collector: ByteCollector, chunk: Buffer, limit: number): void {
  collector.append(chunk.subarray(0, limit - collector.length));
}

/** The body as bytes, sent with their length, or as a stream, sent in chunks or with pauses. */
function requestBody(call: AppCall): Buffer | Readable | null {
  const { body, chunked = false } = call;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const pauses = pausesOf(call);
  if (pauses !== undefined) return Readable.from(heldBack(bytes, pauses));
  if (!chunked) return bytes.length > 0 ? bytes : null;
  const chunks = Array.from({ length: Math.ceil(bytes.length / REQUEST_CHUNK_BYTES) }, (_, index) =>
    bytes.subarray(index * REQUEST_CHUNK_BYTES, (index + 1) * REQUEST_CHUNK_BYTES),
  );
  return Readable.from(chunks);
}

/** undici sends the headers with the first bytes of a stream. */
async function* heldBack(bytes: Buffer, pauses: CallPauses): AsyncGenerator<Buffer, void> {
  await pauses.beforeHead();
  yield bytes.subarray(0, -1);
  await pauses.beforeLastByte();
  yield bytes.subarray(-1);
}

/** The pauses during the call; a body of less than two bytes cannot be split. */
function pausesOf({ body, pauses }: AppCall): CallPauses | undefined {
  return body.length > 1 ? pauses : undefined;
}

/** undici knows the length of bytes, but not of a stream. */
function statedLength(call: AppCall): HeaderLines {
  return pausesOf(call) === undefined ? [] : [["content-length", String(call.body.length)]];
}

/** The header lines as sent: those of the call, and those that HTTP itself adds. */
function sentHeaders({ url, headers, body, method, chunked = false }: AppCall): HeaderLines {
  const length: HeaderLines = body.length > 0 || method === "POST" ? [["content-length", String(body.length)]] : [];
  const framing: HeaderLines = chunked ? [["transfer-encoding", "chunked"]] : length;
  return [["host", new URL(url).host], ["connection", "close"], ...headers, ...framing];
}

/**
 * Stops the listeners of a socket from reading, so that its buffer fills up and the peer has to wait. `pause()` of
 * undici 7 cannot do that: if the peer ends or resets the connection meanwhile, undici fails an assertion that nobody
 * can catch (nodejs/undici#5360, fixed in 8 only).
 */
class SocketValve {
  #socket: Socket | null = null;
  #held: (() => void)[] = [];

  attach(socket: Socket): void {
    this.#socket = socket;
  }

  close(): void {
    if (this.#socket === null || this.#held.length > 0) return;
    this.#held = this.#socket.listeners("readable") as (() => void)[];
    for (const listener of this.#held) this.#socket.off("readable", listener);
  }

  open(): void {
    // A listener is called at once if data is available.
    for (const listener of this.#held) this.#socket?.on("readable", listener);
    this.#held = [];
  }
}
