import { createLatencies } from "../webhook/latencies.ts";
import { type LoadedDelivery, type LoadFault, outcomeOfEnd } from "./bulk-delivery.ts";
import type { LoadError, LoadErrorKind, LoadResult } from "./load-result.ts";

/** Counts and times, in room that does not grow with the deliveries. */
export interface Tally {
  /** @param due when it was, on the monotonic clock */
  add(delivery: LoadedDelivery, due: number): void;
  /** Counts a delivery that was due and was never begun. */
  skip(explain: () => LoadFault): void;
  counts(): Pick<
    LoadResult,
    "sent" | "events" | "acknowledged" | "failed" | "notSent" | "bytes" | "latency" | "serviceTime"
  >;
  errors(): LoadError[];
  /** When the last delivery was sent and when the last one ended, on the monotonic clock; null before the first. */
  last(): { readonly sentAt: number; readonly endedAt: number } | null;
}

/** An app may answer with every status there is: so many are told apart. */
const ERROR_ROWS = 50;

/**
 * @param isInterrupted whether what is never sent is the user's doing
 * @param explain is asked for the first delivery of each kind only
 */
export function createTally(isInterrupted: () => boolean, explain: (delivery: LoadedDelivery) => LoadFault): Tally {
  const latency = createLatencies();
  const serviceTime = createLatencies();
  const errors = new Map<string, { count: number; readonly row: Omit<LoadError, "count"> }>();
  let acknowledged = 0;
  let failed = 0;
  let notSent = 0;
  let events = 0;
  let bytes = 0;
  let lastSentAt: number | null = null;
  let lastEndedAt = 0;

  function fault(kind: LoadErrorKind, status: number | null, why: () => LoadFault): void {
    const own = `${kind} ${status}`;
    const key = errors.has(own) || errors.size < ERROR_ROWS ? own : kind;
    const known = errors.get(key);
    if (known !== undefined) known.count += 1;
    else errors.set(key, { count: 1, row: { kind, status: key === own ? status : null, ...why() } });
  }

  function skip(why: () => LoadFault): void {
    notSent += 1;
    if (isInterrupted()) fault("interrupted", null, () => interruption);
    else fault("not-sent", null, why);
  }

  return {
    skip,
    add(delivery, due) {
      const { end, sentAt, endedAt, body } = delivery;
      if (end === null) {
        // It waited so long at least: what is never sent must not make a load look quick.
        if (!isInterrupted()) latency.record(endedAt - due);
        return skip(() => explain(delivery));
      }
      lastSentAt = Math.max(lastSentAt ?? 0, sentAt);
      lastEndedAt = Math.max(lastEndedAt, endedAt);
      if (end.phase !== "connect") {
        events += body.events;
        bytes += body.json.length;
      }
      // What went wrong sooner says nothing of how long an answer takes.
      if (end.outcome.kind === "answered" || end.outcome.kind === "timed-out") {
        latency.record(endedAt - due);
        serviceTime.record(endedAt - sentAt);
      }
      const outcome = outcomeOfEnd(end);
      if (outcome === "acknowledged") {
        acknowledged += 1;
        return;
      }
      failed += 1;
      fault(outcome, end.outcome.kind === "answered" ? end.status : null, () => explain(delivery));
    },
    counts: () => ({
      sent: acknowledged + failed,
      events,
      acknowledged,
      failed,
      notSent,
      bytes,
      latency: latency.summary(),
      serviceTime: serviceTime.summary(),
    }),
    errors: () => {
      const rows = [...errors.values()].map(({ count, row }) => ({ ...row, count }));
      return rows.sort((one, other) => other.count - one.count);
    },
    last: () => (lastSentAt === null ? null : { sentAt: lastSentAt, endedAt: lastEndedAt }),
  };
}

const interruption: LoadFault = { reason: "interrupted", hint: null, failure: "interrupted", exchange: null };
