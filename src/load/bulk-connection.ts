import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { buildConnector, Client, type Dispatcher } from "undici";
import { ANSWER_HEADERS_LIMIT } from "../app-client/app-gateway.ts";
import { hasNoBody, outcomeOfError, rawHeaderLines } from "../app-client/call-faults.ts";
import { decodeBody } from "../app-client/decode-body.ts";
import { permittedLookup } from "../app-client/permitted-lookup.ts";
import type { AppResponse } from "../app-client/ports.ts";
import type { CallPhase, FailedOutcome, Outcome } from "../journal/exchange.ts";
import { BODY_LIMIT } from "../journal/journal.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import type { MayConnectTo } from "./targets.ts";

/** A signed delivery, ready to be written. */
export interface BulkCall {
  readonly method: "POST";
  /** With the query. */
  readonly path: string;
  /** Names and values, one after another. */
  readonly headers: string[];
  readonly body: Uint8Array;
}

/** Its outcome. */
export interface BulkEnd {
  readonly call: BulkCall;
  readonly outcome: Outcome;
  /** null: no answer began. */
  readonly status: number | null;
  /** The phase in which it ended without a complete answer. */
  readonly phase: CallPhase;
  /** Whether the connection had been used for another delivery before. */
  readonly isReused: boolean;
  /** The answer as undici gave it: for {@link responseOf}. */
  readonly rawHeaders: unknown;
  /** The beginning of the body, as it arrived. */
  readonly chunks: readonly Buffer[];
  /** Bytes of the body that arrived. */
  readonly size: number;
}

/** A keep-alive connection to one origin, for one delivery at a time. */
export interface BulkConnection {
  /**
   * A failure leaves the connection unusable. Rejects only if the delivery cannot be sent at all, which is a bug of
   * ours.
   */
  send(call: BulkCall): Promise<BulkEnd>;
  /** Ends the delivery in flight with this outcome. */
  cancel(outcomeAt: (phase: CallPhase) => FailedOutcome): void;
  /** Resolves once the socket is closed. */
  close(): Promise<void>;
}

const answered: Outcome = { kind: "answered" };
const noChunks: readonly Buffer[] = [];

/** A delivery in flight. */
interface Sending {
  readonly call: BulkCall;
  readonly resolve: (end: BulkEnd) => void;
  readonly reject: (error: Error) => void;
  phase: CallPhase;
  status: number | null;
  rawHeaders: unknown;
  chunks: Buffer[] | null;
  size: number;
  /** Collects a body in a content coding. */
  coded: Readable | null;
}

/**
 * Opens a connection with the first delivery, and again if the app closed it in between: undici does so by itself, and
 * closes it first if a Keep-Alive header says when the app will, or if unexpected bytes arrive. A delivery is never
 * sent twice, because it is not an idempotent request (RFC 9110, 9.2.2): an app that closes the connection while the
 * next delivery is being written makes that delivery fail.
 */
export function openConnection(origin: URL, mayConnectTo: MayConnectTo): BulkConnection {
  return new KeptConnection(origin, mayConnectTo);
}

/** It handles the answers of all deliveries, because there is one at a time: each is counted and discarded. */
class KeptConnection implements BulkConnection, Dispatcher.DispatchHandler {
  readonly #origin: URL;
  readonly #client: Client;
  #opening = new AbortController();
  #isReused = false;
  /** What went wrong with the socket first; undici passes on the last, or nothing. */
  #socketError: Error | null = null;
  /** null: events that still arrive belong to a delivery that has ended. */
  #sending: Sending | null = null;

  constructor(origin: URL, mayConnectTo: MayConnectTo) {
    this.#origin = origin;
    this.#client = new Client(origin.origin, {
      pipelining: 1,
      maxHeaderSize: ANSWER_HEADERS_LIMIT,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // One for each socket: a socket listens to its signal forever.
        this.#opening = new AbortController();
        this.#isReused = false;
        this.#socketError = null;
        const { signal } = this.#opening;
        const connector = buildConnector({ timeout: 0, signal, lookup: permittedLookup(mayConnectTo) });
        connector(options, (...result) => {
          result[1]?.once("error", (error) => {
            this.#socketError = error;
          });
          callback(...result);
        });
      },
    });
  }

  send(call: BulkCall): Promise<BulkEnd> {
    return new Promise((resolve, reject) => {
      this.#sending = {
        ...{ call, resolve, reject, phase: "connect", status: null },
        ...{ rawHeaders: [], chunks: null, size: 0, coded: null },
      };
      this.#client.dispatch(call, this);
    });
  }

  cancel(outcomeAt: (phase: CallPhase) => FailedOutcome): void {
    if (this.#sending !== null) this.#end(outcomeAt(this.#sending.phase));
  }

  async close(): Promise<void> {
    const closed = this.#client.destroy();
    this.#opening.abort();
    await closed;
  }

  onRequestStart(): void {
    if (this.#sending !== null) this.#sending.phase = "headers";
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const sending = this.#sending;
    if (sending === null || status < 200) return;
    sending.phase = "body";
    sending.status = status;
    sending.rawHeaders = controller.rawHeaders;
    if (headers["content-encoding"] !== undefined)
      sending.coded = decoded(controller.rawHeaders, (outcome) => this.#end(outcome));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const sending = this.#sending;
    if (sending === null) return;
    keep(sending, chunk);
    sending.coded?.push(chunk);
    if (sending.size <= SMALL_ANSWER_LIMIT_BYTES) return;
    this.#end({ kind: "too-large", limit: SMALL_ANSWER_LIMIT_BYTES, decoded: false });
    controller.abort(new Error("too large"));
  }

  onResponseEnd(): void {
    if (this.#sending === null) return;
    // undici mistakes a reset for the end of a body that has neither a length nor chunks (R5).
    if (this.#socketError !== null) this.#fail(this.#socketError);
    else this.#finish(this.#sending);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#sending === null) return;
    if (hasNoBody(this.#sending.status ?? undefined, error)) this.#finish(this.#sending);
    else this.#fail(this.#socketError ?? error);
  }

  #finish({ coded }: Sending): void {
    if (coded === null) this.#end(answered);
    else coded.push(null);
  }

  #fail(error: Error): void {
    const sending = this.#sending;
    if (sending === null) return;
    outcomeOfError(error, sending.phase, this.#origin).then((outcome) => this.#end(outcome), sending.reject);
  }

  #end(outcome: Outcome): void {
    if (this.#sending === null) return;
    const { call, phase, status, rawHeaders, chunks, size, coded, resolve } = this.#sending;
    this.#sending = null;
    coded?.destroy();
    resolve({ call, outcome, phase, status, isReused: this.#isReused, rawHeaders, chunks: chunks ?? noChunks, size });
    this.#isReused = true;
  }
}

function keep(sending: Sending, chunk: Buffer): void {
  sending.chunks ??= [];
  // Views of the socket's buffers: kept until the delivery ends, not copied.
  if (sending.size < BODY_LIMIT) sending.chunks.push(chunk);
  sending.size += chunk.length;
}

/** A body in a content coding is judged like that of any other call (hardening S16, S17). */
function decoded(rawHeaders: unknown, end: (outcome: Outcome) => void): Readable {
  const coded = new Readable({ read: () => {} });
  decodeBody(coded, rawHeaderLines(rawHeaders), SMALL_ANSWER_LIMIT_BYTES, () => {}).then(
    (fault) => end(fault ?? answered),
    // It was aborted: the delivery already has its outcome.
    () => {},
  );
  return coded;
}

/** The answer, which may be truncated. */
export function responseOf({ status, rawHeaders, chunks, size }: BulkEnd): AppResponse | null {
  if (status === null) return null;
  return { status, headers: rawHeaderLines(rawHeaders), raw: Buffer.concat(chunks).subarray(0, BODY_LIMIT), size };
}
