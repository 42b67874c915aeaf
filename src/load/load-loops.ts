import type { Clock } from "../app-client/ports.ts";
import { dueAt, dueBy, type LoadSchedule } from "./rules/load-schedule.ts";

/**
 * Begins each delivery when it is due, and waits for none: an app that is slow gets the next ones all the same. Resolves
 * once the last has begun, or the signal is aborted. A timer is up to a millisecond late; what is due by then leaves at
 * once, so that the rate holds.
 * @param begin is given the number of the delivery, from 0, and when it was due on the monotonic clock
 */
export async function openLoop(
  schedule: LoadSchedule,
  clock: Clock,
  signal: AbortSignal | undefined,
  begin: (index: number, due: number) => void,
): Promise<void> {
  const start = clock.monotonic();
  let begun = 0;
  while (begun < schedule.total && signal?.aborted !== true) {
    const due = dueBy(schedule, clock.monotonic() - start);
    for (; begun < due; begun++) begin(begun, start + dueAt(schedule, begun));
    if (begun < schedule.total) await clock.pause(start + dueAt(schedule, begun) - clock.monotonic(), signal);
  }
}

/** When a closed loop ends. */
export interface ClosedEnd {
  /** null: not by the time. */
  readonly durationMs: number | null;
  /** null: not by the number of deliveries. */
  readonly count: number | null;
}

/**
 * So many senders, each of which begins its next delivery once its last one has ended. Resolves once all have ended.
 * @param send resolves when the delivery with this number, from 0, has ended
 */
export async function closedLoop(
  concurrency: number,
  { durationMs, count }: ClosedEnd,
  clock: Clock,
  signal: AbortSignal | undefined,
  send: (index: number, due: number) => Promise<void>,
): Promise<void> {
  const end = clock.monotonic() + (durationMs ?? Number.POSITIVE_INFINITY);
  const total = count ?? Number.POSITIVE_INFINITY;
  let begun = 0;
  const sender = async () => {
    for (let now = clock.monotonic(); now < end && begun < total; now = clock.monotonic()) {
      if (signal?.aborted === true) return;
      await send(begun++, now);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, total) }, sender));
}
