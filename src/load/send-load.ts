import type { SimulatorContext } from "../platform/context.ts";
import { bulkCall, type LoadedModule, notBegun } from "./bulk-delivery.ts";
import { closedLoop, openLoop } from "./load-loops.ts";
import type { LoadPlan } from "./load-options.ts";
import { type LoadSchedule, scheduleFor } from "./rules/load-schedule.ts";
import type { Tally } from "./tally.ts";

/** More at a time would only measure how long a queue in this process gets. */
const MOST_UNDER_WAY = 10_000;

/** The deliveries of an open loop; null in a closed one. */
export function scheduleOf({ rate, count, durationMs }: LoadPlan): LoadSchedule | null {
  if (rate === null) return null;
  return count === null ? scheduleFor(rate, durationMs ?? 0) : { rate, total: count };
}

/** Sends all that the plan says, to the modules in turn. Resolves when every delivery has come to its end. */
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
  if (schedule === null) return closedLoop(plan.concurrency ?? 1, plan, clock, signal, deliver);
  const underWay = new Set<Promise<void>>();
  await openLoop(schedule, clock, signal, (index, due) => {
    if (underWay.size >= MOST_UNDER_WAY) return tally.skip(() => notBegun);
    const delivery = deliver(index, due);
    underWay.add(delivery);
    // A delivery that rejects, by a mistake of ours, stays, and is thrown below.
    delivery.then(
      () => underWay.delete(delivery),
      () => {},
    );
  });
  await Promise.all(underWay);
}
