import type { AppCall, Clock } from "../app-client/ports.ts";
import type { CallPhase, FailedOutcome } from "../journal/exchange.ts";
import { type BulkCall, type BulkConnection, type BulkEnd, openConnection } from "./bulk-connection.ts";

/** What came of a delivery, and when, in milliseconds of the monotonic clock. */
export interface BulkDelivery {
  /** null: it did not get as far as a connection, within the time limit or before the interruption. */
  readonly end: BulkEnd | null;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** Sends very many deliveries to one origin, over connections that are kept. */
export interface BulkGateway {
  /**
   * Resolves when the delivery has ended and that was told.
   * @param make makes the delivery, and signs it, when it has a connection
   */
  send(make: () => BulkCall, ended: (delivery: BulkDelivery) => void): Promise<void>;
  /** Connections that were busy at a time, at most. */
  busyConnections(): number;
  /** Resolves once every socket is closed. */
  close(): Promise<void>;
}

export interface BulkOptions {
  readonly origin: URL;
  /** Most connections at a time; further deliveries wait for one. */
  readonly connections: number;
  /** Of a delivery from when it has a connection to the last byte of the answer, and before for that connection. */
  readonly timeoutMs: number;
  readonly mayConnectTo: NonNullable<AppCall["mayConnectTo"]>;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** How often the deadlines are looked at: one timer for all of them, not one for each delivery. */
const SWEEP_MS = 20;

/** One of the connections, or of those that take its place where it breaks. */
interface Lane {
  connection: BulkConnection;
  /** Of the delivery that is under way; infinite where none is. */
  deadline: number;
}

interface Waiting {
  readonly deadline: number;
  readonly begin: (lane: Lane | null) => void;
}

/** As {@link createAppGateway}, for the whole of a run in place of a single call: each outcome is named the same. */
export function createBulkGateway(options: BulkOptions): BulkGateway {
  const { origin, connections, timeoutMs, mayConnectTo, clock, signal } = options;
  const lanes: Lane[] = [];
  const free: Lane[] = [];
  const waiting: Waiting[] = [];
  const closing = new Set<Promise<void>>();

  const sweep = setInterval(() => {
    const now = clock.monotonic();
    for (const { connection, deadline } of lanes) {
      if (deadline <= now) connection.cancel((phase) => ({ kind: "timed-out", phase, limitMs: timeoutMs }));
    }
    while (waiting[0] !== undefined && waiting[0].deadline <= now) waiting.shift()?.begin(null);
  }, SWEEP_MS);
  // The sockets keep the process going as long as there is something to wait for.
  sweep.unref();
  const interrupt = () => {
    for (const { connection } of lanes) connection.cancel(interrupted);
    for (const { begin } of waiting.splice(0)) begin(null);
  };
  signal?.addEventListener("abort", interrupt);

  async function sendLater(make: () => BulkCall, ended: (delivery: BulkDelivery) => void): Promise<void> {
    const lane = signal?.aborted === true ? null : await nextFree();
    if (lane !== null) return sendOn(lane, make, ended);
    const now = clock.monotonic();
    ended({ end: null, sentAt: now, endedAt: now });
  }

  function sendOn(lane: Lane, make: () => BulkCall, ended: (delivery: BulkDelivery) => void): Promise<void> {
    const sentAt = clock.monotonic();
    lane.deadline = sentAt + timeoutMs;
    return lane.connection.send(make()).then((end) => {
      const endedAt = clock.monotonic();
      lane.deadline = Number.POSITIVE_INFINITY;
      if (end.outcome.kind !== "answered") replaceConnection(lane);
      release(lane);
      ended({ end, sentAt, endedAt });
    });
  }

  function openAnother(): Lane | null {
    if (lanes.length === connections) return null;
    const lane = { connection: openConnection(origin, mayConnectTo), deadline: Number.POSITIVE_INFINITY };
    lanes.push(lane);
    return lane;
  }

  function nextFree(): Promise<Lane | null> {
    return new Promise((begin) => waiting.push({ deadline: clock.monotonic() + timeoutMs, begin }));
  }

  function replaceConnection(lane: Lane): void {
    discard(lane.connection);
    lane.connection = openConnection(origin, mayConnectTo);
  }

  function discard(connection: BulkConnection): void {
    const closed = connection.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function release(lane: Lane): void {
    const next = waiting.shift();
    if (next === undefined) free.push(lane);
    else next.begin(lane);
  }

  return {
    send(make, ended) {
      const lane = signal?.aborted === true ? null : (free.pop() ?? openAnother());
      return lane === null ? sendLater(make, ended) : sendOn(lane, make, ended);
    },
    // Another one is opened only where none is free.
    busyConnections: () => lanes.length,
    async close() {
      clearInterval(sweep);
      signal?.removeEventListener("abort", interrupt);
      for (const { connection } of lanes) discard(connection);
      await Promise.all(closing);
    },
  };
}

function interrupted(_phase: CallPhase): FailedOutcome {
  return { kind: "interrupted" };
}
