import type { Clock } from "../app-client/ports.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { bulkCall, type LoadedModule, notBegun } from "./bulk-delivery.ts";
import type { LoadPlan } from "./load-result.ts";
import { dueAt, dueBy, type LoadSchedule, scheduleFor } from "./rules/load-schedule.ts";
import type { Tally } from "./tally.ts";

/** A longer queue would only measure this process. */
const MOST_IN_FLIGHT = 10_000;

/** The deliveries of an open loop; null in a closed one. */
export function scheduleOf({ rate, count, durationMs }: LoadPlan): LoadSchedule | null {
  if (rate === null) return null;
  return count === null ? scheduleFor(rate, durationMs ?? 0) : { rate, total: count };
}

/** Sends all deliveries of the plan, to the modules in turn. Resolves when every delivery has ended. */
export async function sendLoad(
  context: SimulatorContext,
  plan: LoadPlan,
  modules: readonly LoadedModule[],
  tally: Tally,
): Promise<void> {
  const { clock, signal, ids } = context;
  const run = ids.next();
  const deliver = (index: number, due: number): Promise<void> => {
    const to = modules[index % modules.length];
    const body = to?.bodies[Math.floor(index / modules.length) % to.bodies.length];
    if (to === undefined || body === undefined) throw new RangeError("a load without modules or bodies");
    const id = `${run}-${index}`;
    return to.gateway.send(
      () => bulkCall(context, to, body, id),
      ({ end, sentAt, endedAt }) => tally.add({ id, to, body, end, sentAt, endedAt }, due),
    );
  };
  const schedule = scheduleOf(plan);
  if (schedule === null) return closedLoop(plan, clock, signal, deliver);
  const inFlight = new Set<Promise<void>>();
  await openLoop(schedule, clock, signal, (index, due) => {
    if (inFlight.size >= MOST_IN_FLIGHT) return tally.skip(due, () => notBegun);
    const delivery = deliver(index, due);
    inFlight.add(delivery);
    // A delivery that rejects, because of a bug of ours, stays, and is thrown below.
    delivery.then(
      () => inFlight.delete(delivery),
      () => {},
    );
  });
  await Promise.all(inFlight);
}

/**
 * Starts each delivery when it is due and waits for none, however slow the app is. Resolves once the last has started,
 * or the signal is aborted. A timer is up to a millisecond late; deliveries due by then are sent immediately, so that
 * the rate holds.
 * @param begin gets the number of the delivery, from 0, and when it was due on the monotonic clock
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

/**
 * Runs senders that each start their next delivery once the previous one has ended. Resolves once all have ended.
 * @param send resolves when the delivery with this number, from 0, has ended
 */
export async function closedLoop(
  { concurrency, durationMs, count }: Pick<LoadPlan, "concurrency" | "durationMs" | "count">,
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
  await Promise.all(Array.from({ length: Math.min(concurrency ?? 1, total) }, sender));
}
