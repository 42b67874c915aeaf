import type { LoadRecord } from "../journal/record.ts";
import { createLatencies } from "../webhook/latencies.ts";
import { type LoadedDelivery, type LoadFault, outcomeOfEnd } from "./bulk-delivery.ts";
import { LatencyCurve } from "./latency-curve.ts";
import type { LoadError, LoadErrorKind, LoadPlan, LoadResult } from "./load-result.ts";
import { dueAt } from "./rules/load-schedule.ts";

/** An app may answer with any status: this many are distinguished. */
const ERROR_ROWS = 50;

const interruption: LoadFault = { reason: "interrupted", hint: null, failure: "interrupted", exchange: null };

/** Counts and times the deliveries of a load, in constant memory. */
export class Tally {
  readonly #latency = createLatencies();
  readonly #serviceTime = createLatencies();
  readonly #curve = new LatencyCurve();
  readonly #started: number;
  readonly #errors = new Map<string, { count: number; readonly row: Omit<LoadError, "count"> }>();
  readonly #isInterrupted: () => boolean;
  readonly #explain: (delivery: LoadedDelivery) => LoadFault;
  #counts = { events: 0, acknowledged: 0, failed: 0, notSent: 0, bytes: 0 };
  /** Of the deliveries so far, on the monotonic clock. */
  #last: { sentAt: number; endedAt: number } | null = null;

  /**
   * @param started on the monotonic clock
   * @param isInterrupted whether deliveries are no longer sent because the user interrupted the run
   * @param explain called for the first delivery of each kind of failure only
   */
  constructor(started: number, isInterrupted: () => boolean, explain: (delivery: LoadedDelivery) => LoadFault) {
    this.#started = started;
    this.#isInterrupted = isInterrupted;
    this.#explain = explain;
  }

  /** @param due when the delivery was due, on the monotonic clock */
  add(delivery: LoadedDelivery, due: number): void {
    const { end, sentAt, endedAt, body } = delivery;
    const why = () => this.#explain(delivery);
    if (end === null) {
      // It waited at least this long: deliveries that are never sent must not make a load look fast.
      if (!this.#isInterrupted()) this.#latency.record(endedAt - due);
      this.skip(due, why);
      return;
    }
    const { sentAt: lastSentAt = 0, endedAt: lastEndedAt = 0 } = this.#last ?? {};
    this.#last = { sentAt: Math.max(lastSentAt, sentAt), endedAt: Math.max(lastEndedAt, endedAt) };
    const counts = this.#counts;
    if (end.phase !== "connect") {
      counts.events += body.events;
      counts.bytes += body.json.length;
    }
    // An early failure says nothing about how long answers take.
    const isTimed = end.outcome.kind === "answered" || end.outcome.kind === "timed-out";
    if (isTimed) {
      this.#latency.record(endedAt - due);
      this.#serviceTime.record(endedAt - sentAt);
    }
    const outcome = outcomeOfEnd(end);
    this.#curve.add(due - this.#started, isTimed ? endedAt - due : null, outcome === "acknowledged");
    if (outcome === "acknowledged") {
      counts.acknowledged += 1;
      return;
    }
    counts.failed += 1;
    this.#addError(outcome, end.outcome.kind === "answered" ? end.status : null, why);
  }

  /** Counts a delivery that was due but never started. */
  skip(due: number, why: () => LoadFault): void {
    this.#counts.notSent += 1;
    this.#curve.add(due - this.#started, null, false);
    if (this.#isInterrupted()) this.#addError("interrupted", null, () => interruption);
    else this.#addError("not-sent", null, why);
  }

  #addError(kind: LoadErrorKind, status: number | null, why: () => LoadFault): void {
    const own = `${kind} ${status}`;
    const key = this.#errors.has(own) || this.#errors.size < ERROR_ROWS ? own : kind;
    const known = this.#errors.get(key);
    if (known !== undefined) known.count += 1;
    else this.#errors.set(key, { count: 1, row: { kind, status: key === own ? status : null, ...why() } });
  }

  counts(): Pick<
    LoadResult,
    "sent" | "events" | "acknowledged" | "failed" | "notSent" | "bytes" | "latency" | "serviceTime"
  > {
    const { acknowledged, failed } = this.#counts;
    const times = { latency: this.#latency.summary(), serviceTime: this.#serviceTime.summary() };
    return { sent: acknowledged + failed, ...this.#counts, ...times };
  }

  /** The latency over the time of the load. */
  curve(): LoadRecord["curve"] {
    return this.#curve.points();
  }

  /** Most frequent first. */
  errors(): LoadError[] {
    const rows = [...this.#errors.values()].map(({ count, row }) => ({ ...row, count }));
    return rows.sort((one, other) => other.count - one.count);
  }

  /**
   * Counts, times and the achieved rate. An open loop lasts as long as its schedule, or until its last delivery was sent
   * if that was later: slow answers to the last ones do not make it slower.
   */
  measured({ rate }: LoadPlan): ReturnType<Tally["counts"]> & Pick<LoadResult, "seconds" | "rate"> {
    const counts = this.counts();
    const due = counts.sent + counts.notSent;
    const wholeMs = this.#last === null ? 0 : this.#last.endedAt - this.#started;
    const sendingMs =
      rate === null || this.#last === null
        ? wholeMs
        : Math.max(dueAt({ rate, total: due }, due), this.#last.sentAt - this.#started);
    return {
      ...counts,
      seconds: Math.round(wholeMs) / 1000,
      rate: sendingMs === 0 ? 0 : Math.round((counts.sent * 10_000) / (sendingMs / 1000)) / 10_000,
    };
  }
}
