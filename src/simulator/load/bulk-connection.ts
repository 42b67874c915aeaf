import { Readable } from "node:stream";
import { buildConnector, Client, type Dispatcher } from "undici";
import type { CallPhase, FailedOutcome, Outcome } from "../../journal/exchange.ts";
import { BODY_LIMIT } from "../../journal/journal.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../../protocol/limits.ts";
import { outcomeOfError } from "../call-faults.ts";
import { decodeBody } from "../decode-body.ts";
import { permittedLookup } from "../permitted-lookup.ts";
import type { AppCall, AppResponse } from "../ports.ts";
import { hasNoBody, headerLines } from "../undici-answer.ts";

/** A signed delivery, ready to be written. */
export interface BulkCall {
  /** With the query. */
  readonly path: string;
  /** Names and values, one after another. */
  readonly headers: string[];
  readonly body: Uint8Array;
}

/** What came of it. */
export interface BulkEnd {
  readonly call: BulkCall;
  readonly outcome: Outcome;
  /** null: no answer began. */
  readonly status: number | null;
  /** Where it was when it ended otherwise than by a whole answer. */
  readonly phase: CallPhase;
  /** Whether the connection had carried another delivery before. */
  readonly isReused: boolean;
  /** The answer as far as it came; asked for only where the journal keeps it. */
  readonly response: () => AppResponse | null;
}

/** A connection to one origin, kept open from delivery to delivery: one at a time. */
export interface BulkConnection {
  /** What went wrong leaves the connection unusable. Rejects only where the delivery cannot be sent at all: our bug. */
  send(call: BulkCall): Promise<BulkEnd>;
  /** Ends the delivery that is under way so. */
  cancel(outcomeAt: (phase: CallPhase) => FailedOutcome): void;
  /** Resolves once the socket is closed. */
  close(): Promise<void>;
}

const answered: Outcome = { kind: "answered" };

interface Sending {
  phase: CallPhase;
  status: number | null;
  rawHeaders: unknown;
  /** The beginning of the body, as it came. */
  readonly chunks: Buffer[];
  /** Bytes of the body that came. */
  size: number;
  /** Takes a body that is in a content coding. */
  coded: Readable | null;
  readonly end: (outcome: Outcome) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Opens a connection with the first delivery, and again where the app closed it in between: undici does so by itself,
 * and closes it first where a Keep-Alive header says when the app will. A delivery is never sent twice, because it is
 * no idempotent request (RFC 9110, 9.2.2): an app that closes just when the next one is written makes that one fail.
 */
export function openConnection(origin: URL, mayConnectTo: NonNullable<AppCall["mayConnectTo"]>): BulkConnection {
  let opening = new AbortController();
  let isReused = false;
  // What went wrong with the socket first; undici passes on the last, or nothing.
  let socketError: Error | null = null;
  let sending: Sending | null = null;
  const client = new Client(origin.origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // Of its own for each socket: a socket listens to its signal for ever.
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
  return {
    send: (call) =>
      new Promise((resolve, reject) => {
        const current: Sending = {
          phase: "connect",
          status: null,
          rawHeaders: [],
          chunks: [],
          size: 0,
          coded: null,
          end(outcome) {
            const { status, phase } = current;
            current.coded?.destroy();
            resolve({ call, outcome, status, phase, isReused, response: () => responseOf(current) });
            isReused = true;
          },
          fail: (error) => outcomeOfError(error, current.phase, origin).then(current.end, reject),
        };
        sending = current;
        client.dispatch(
          { method: "POST", path: call.path, headers: call.headers, body: call.body },
          handlerOf(current, () => socketError),
        );
      }),
    cancel: (outcomeAt) => sending?.end(outcomeAt(sending.phase)),
    async close() {
      const closed = client.destroy();
      opening.abort();
      await closed;
    },
  };
}

/** Counts the answer and throws it away. */
function handlerOf(sending: Sending, socketError: () => Error | null): Dispatcher.DispatchHandler {
  const limit = SMALL_ANSWER_LIMIT_BYTES;
  return {
    onRequestStart() {
      sending.phase = "headers";
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return;
      sending.phase = "body";
      sending.status = status;
      sending.rawHeaders = controller.rawHeaders;
      if (headers["content-encoding"] !== undefined) decodeInto(sending, limit);
    },
    onResponseData(controller, chunk) {
      // Views of what the socket read: kept until the delivery ends, and not copied.
      if (sending.size < BODY_LIMIT) sending.chunks.push(chunk);
      sending.size += chunk.length;
      sending.coded?.push(chunk);
      if (sending.size <= limit) return;
      sending.end({ kind: "too-large", limit, decoded: false });
      controller.abort(new Error("too large"));
    },
    onResponseEnd() {
      const error = socketError();
      // undici takes a reset for the end of a body that has neither a length nor chunks (R5).
      if (error !== null) sending.fail(error);
      else finish(sending);
    },
    onResponseError(_controller, error) {
      if (hasNoBody(sending.status ?? undefined, error)) finish(sending);
      else sending.fail(socketError() ?? error);
    },
  };
}

/** A body in a content coding is judged as any other call's is (hardening S16, S17). */
function decodeInto(sending: Sending, limit: number): void {
  const coded = new Readable({ read: () => {} });
  sending.coded = coded;
  decodeBody(coded, headerLines(sending.rawHeaders), limit, () => {}).then(
    (fault) => sending.end(fault ?? answered),
    // It was cut off: the delivery has its outcome already.
    () => {},
  );
}

function finish({ coded, end }: Sending): void {
  if (coded === null) end(answered);
  else coded.push(null);
}

function responseOf({ status, rawHeaders, chunks, size }: Sending): AppResponse | null {
  if (status === null) return null;
  return { status, headers: headerLines(rawHeaders), raw: Buffer.concat(chunks).subarray(0, BODY_LIMIT), size };
}
