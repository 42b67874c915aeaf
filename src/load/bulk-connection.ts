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
  let opening = new AbortController();
  let isReused = false;
  // What went wrong with the socket first; undici passes on the last, or nothing.
  let socketError: Error | null = null;
  // null: events that still arrive belong to a delivery that has ended.
  let sending: Sending | null = null;

  const client = new Client(origin.origin, {
    pipelining: 1,
    maxHeaderSize: ANSWER_HEADERS_LIMIT,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // One for each socket: a socket listens to its signal forever.
      opening = new AbortController();
      isReused = false;
      socketError = null;
      const connector = buildConnector({ timeout: 0, signal: opening.signal, lookup: permittedLookup(mayConnectTo) });
      connector(options, (...result) => {
        result[1]?.once("error", (error) => {
          socketError = error;
        });
        callback(...result);
      });
    },
  });

  function end(outcome: Outcome): void {
    if (sending === null) return;
    const { call, phase, status, rawHeaders, chunks, size, coded, resolve } = sending;
    sending = null;
    coded?.destroy();
    resolve({ call, outcome, phase, status, isReused, rawHeaders, chunks: chunks ?? noChunks, size });
    isReused = true;
  }

  function fail(error: Error): void {
    if (sending !== null) outcomeOfError(error, sending.phase, origin).then(end, sending.reject);
  }

  function finish({ coded }: Sending): void {
    if (coded === null) end(answered);
    else coded.push(null);
  }

  /** Counts the answer and discards it: one handler for all deliveries, because there is one at a time. */
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      if (sending !== null) sending.phase = "headers";
    },
    onResponseStart(controller, status, headers) {
      if (sending === null || status < 200) return;
      sending.phase = "body";
      sending.status = status;
      sending.rawHeaders = controller.rawHeaders;
      if (headers["content-encoding"] !== undefined) sending.coded = decoded(controller.rawHeaders, end);
    },
    onResponseData(controller, chunk) {
      if (sending === null) return;
      keep(sending, chunk);
      sending.coded?.push(chunk);
      if (sending.size <= SMALL_ANSWER_LIMIT_BYTES) return;
      end({ kind: "too-large", limit: SMALL_ANSWER_LIMIT_BYTES, decoded: false });
      controller.abort(new Error("too large"));
    },
    onResponseEnd() {
      if (sending === null) return;
      // undici mistakes a reset for the end of a body that has neither a length nor chunks (R5).
      if (socketError !== null) fail(socketError);
      else finish(sending);
    },
    onResponseError(_controller, error) {
      if (sending === null) return;
      if (hasNoBody(sending.status ?? undefined, error)) finish(sending);
      else fail(socketError ?? error);
    },
  };

  return {
    send: (call) =>
      new Promise((resolve, reject) => {
        sending = {
          call,
          resolve,
          reject,
          phase: "connect",
          status: null,
          rawHeaders: [],
          chunks: null,
          size: 0,
          coded: null,
        };
        client.dispatch(call, handler);
      }),
    cancel(outcomeAt) {
      if (sending !== null) end(outcomeAt(sending.phase));
    },
    async close() {
      const closed = client.destroy();
      opening.abort();
      await closed;
    },
  };
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
