import type { Clock } from "../app-client/ports.ts";
import { type BulkCall, type BulkConnection, type BulkEnd, openConnection } from "./bulk-connection.ts";
import type { MayConnectTo } from "./targets.ts";

/** How a delivery ended, and when, in milliseconds of the monotonic clock. */
export interface BulkDelivery {
  /** null: it got no connection before the time limit or the interruption. */
  readonly end: BulkEnd | null;
  readonly sentAt: number;
  readonly endedAt: number;
}

type OnEnd = (delivery: BulkDelivery) => void;

interface BulkOptions {
  readonly origin: URL;
  /** Maximum number of simultaneous connections; further deliveries wait for one. */
  readonly connections: number;
  /** Time limit for getting a connection, and again from then to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly mayConnectTo: MayConnectTo;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** How often the deadlines are checked: one timer for all of them, not one for each delivery. */
const SWEEP_MS = 20;

/** One of the connections, including its replacements after failures. */
interface Lane {
  connection: BulkConnection;
  /** Deadline of the delivery in flight; infinite without one. */
  deadline: number;
}

interface WaitingDelivery {
  readonly deadline: number;
  readonly begin: (lane: Lane | null) => void;
}

/** Sends very many deliveries to one origin over keep-alive connections; outcomes are those of single calls. */
export class BulkGateway {
  readonly #options: BulkOptions;
  readonly #lanes: Lane[] = [];
  readonly #free: Lane[] = [];
  readonly #waiting: WaitingDelivery[] = [];
  readonly #closing = new Set<Promise<void>>();
  readonly #sweep: NodeJS.Timeout;
  readonly #interrupt = () => {
    for (const { connection } of this.#lanes) connection.cancel(() => ({ kind: "interrupted" }));
    for (const { begin } of this.#waiting.splice(0)) begin(null);
  };

  constructor(options: BulkOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endOverdue(), SWEEP_MS);
    // The sockets keep the process alive while there is something to wait for.
    this.#sweep.unref();
    options.signal?.addEventListener("abort", this.#interrupt);
  }

  get origin(): URL {
    return this.#options.origin;
  }

  /** Maximum number of simultaneously busy connections: another one is opened only if none is free. */
  get busyConnections(): number {
    return this.#lanes.length;
  }

  /**
   * Resolves when the delivery has ended and `onEnd` was called.
   * @param make makes the delivery, and signs it, when it has a connection
   */
  send(make: () => BulkCall, onEnd: OnEnd): Promise<void> {
    const isAborted = this.#options.signal?.aborted === true;
    const lane = isAborted ? null : (this.#free.pop() ?? this.#openAnother());
    return lane === null ? this.#sendLater(make, onEnd) : this.#sendOn(lane, make, onEnd);
  }

  /** Resolves once every socket is closed. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#options.signal?.removeEventListener("abort", this.#interrupt);
    for (const { connection } of this.#lanes) this.#discard(connection);
    await Promise.all(this.#closing);
  }

  #endOverdue(): void {
    const { clock, timeoutMs: limitMs } = this.#options;
    const now = clock.monotonic();
    for (const { connection, deadline } of this.#lanes) {
      if (deadline <= now) connection.cancel((phase) => ({ kind: "timed-out", phase, limitMs }));
    }
    const waiting = this.#waiting;
    while (waiting[0] !== undefined && waiting[0].deadline <= now) waiting.shift()?.begin(null);
  }

  async #sendLater(make: () => BulkCall, onEnd: OnEnd): Promise<void> {
    const { clock, signal, timeoutMs } = this.#options;
    const deadline = clock.monotonic() + timeoutMs;
    const lane =
      signal?.aborted === true
        ? null
        : await new Promise<Lane | null>((begin) => this.#waiting.push({ deadline, begin }));
    if (lane !== null) return this.#sendOn(lane, make, onEnd);
    const now = clock.monotonic();
    onEnd({ end: null, sentAt: now, endedAt: now });
  }

  #sendOn(lane: Lane, make: () => BulkCall, onEnd: OnEnd): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const sentAt = clock.monotonic();
    lane.deadline = sentAt + timeoutMs;
    return lane.connection.send(make()).then((end) => {
      const endedAt = clock.monotonic();
      lane.deadline = Number.POSITIVE_INFINITY;
      if (end.outcome.kind !== "answered") {
        this.#discard(lane.connection);
        lane.connection = this.#open();
      }
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(lane);
      else next.begin(lane);
      onEnd({ end, sentAt, endedAt });
    });
  }

  #openAnother(): Lane | null {
    if (this.#lanes.length === this.#options.connections) return null;
    const lane = { connection: this.#open(), deadline: Number.POSITIVE_INFINITY };
    this.#lanes.push(lane);
    return lane;
  }

  #open(): BulkConnection {
    return openConnection(this.#options.origin, this.#options.mayConnectTo);
  }

  #discard(connection: BulkConnection): void {
    const closed = connection.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
