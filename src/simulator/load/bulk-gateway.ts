import type { CallPhase, FailedOutcome } from "../../journal/exchange.ts";
import type { AppCall, Clock } from "../ports.ts";
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
  /** The delivery is made, and signed, when it has a connection. */
  send(make: () => BulkCall): Promise<BulkDelivery>;
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

interface Waiting {
  readonly deadline: number;
  readonly begin: (connection: BulkConnection | null) => void;
}

/** As {@link createAppGateway}, for the whole of a run in place of a single call: each outcome is named the same. */
export function createBulkGateway(options: BulkOptions): BulkGateway {
  const { origin, connections, timeoutMs, mayConnectTo, clock, signal } = options;
  const free: BulkConnection[] = [];
  /** With their deadlines, the earliest first, as all have the same time. */
  const active = new Map<BulkConnection, number>();
  const waiting: Waiting[] = [];
  const closing = new Set<Promise<void>>();
  let opened = 0;

  const sweep = setInterval(() => {
    const now = clock.monotonic();
    for (const [connection, deadline] of active) {
      if (deadline > now) break;
      connection.cancel((phase) => ({ kind: "timed-out", phase, limitMs: timeoutMs }));
    }
    while (waiting[0] !== undefined && waiting[0].deadline <= now) waiting.shift()?.begin(null);
  }, SWEEP_MS);
  const interrupt = () => {
    for (const connection of active.keys()) connection.cancel(interrupted);
    for (const { begin } of waiting.splice(0)) begin(null);
  };
  signal?.addEventListener("abort", interrupt);

  async function send(make: () => BulkCall): Promise<BulkDelivery> {
    const connection = signal?.aborted === true ? null : (free.pop() ?? openAnother() ?? (await nextFree()));
    const sentAt = clock.monotonic();
    if (connection === null) return { end: null, sentAt, endedAt: sentAt };
    active.set(connection, sentAt + timeoutMs);
    const end = await connection.send(make());
    const endedAt = clock.monotonic();
    active.delete(connection);
    release(end.outcome.kind === "answered" ? connection : replaced(connection));
    return { end, sentAt, endedAt };
  }

  function openAnother(): BulkConnection | null {
    if (opened === connections) return null;
    opened += 1;
    return openConnection(origin, mayConnectTo);
  }

  function nextFree(): Promise<BulkConnection | null> {
    return new Promise((begin) => waiting.push({ deadline: clock.monotonic() + timeoutMs, begin }));
  }

  function replaced(broken: BulkConnection): BulkConnection {
    discard(broken);
    return openConnection(origin, mayConnectTo);
  }

  function discard(connection: BulkConnection): void {
    const closed = connection.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function release(connection: BulkConnection): void {
    const next = waiting.shift();
    if (next === undefined) free.push(connection);
    else next.begin(connection);
  }

  return {
    send,
    async close() {
      clearInterval(sweep);
      signal?.removeEventListener("abort", interrupt);
      for (const connection of [...free, ...active.keys()]) discard(connection);
      await Promise.all(closing);
    },
  };
}

function interrupted(_phase: CallPhase): FailedOutcome {
  return { kind: "interrupted" };
}
