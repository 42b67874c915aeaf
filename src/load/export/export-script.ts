import { stringify } from "yaml";
import type { LoadPlan } from "../load-result.ts";
import { scheduleFor } from "../rules/load-schedule.ts";

/** Virtual users of a closed loop: no more than deliveries. */
export function usersOf({ concurrency, count }: LoadPlan): number | null {
  return concurrency === null ? null : Math.min(concurrency, count ?? concurrency);
}

/**
 * The test script for Artillery 2, in YAML.
 * @param target an origin, which can be replaced when the test is run
 */
export function scriptText(plan: LoadPlan, target: string, timeoutMs: number): string {
  // A redirect is a failure, and answers are not decoded.
  const post = { url: "/", followRedirect: false, gzip: false, beforeRequest: "sign", afterResponse: "judge" };
  const users = usersOf(plan);
  const script = {
    config: {
      target,
      processor: "./processor.cjs",
      includeFiles: ["bodies.ndjson"],
      http: { timeout: timeoutMs / 1000, pool: plan.connections },
      phases: [users === null ? arrivals(plan) : countedArrivals(users, users)],
      plugins: { ensure: {} },
      ensure: { conditions: [{ expression: "deliveries.failed == 0 and vusers.failed == 0" }] },
    },
    scenarios: [
      { name: "deliveries", flow: users === null ? [{ post }] : [{ loop: [{ post }], whileTrue: "another" }] },
    ],
  };
  const meaning =
    users === null
      ? "Open loop: every arrival is one delivery, however long the app takes to answer."
      : `Closed loop: ${plan.concurrency} virtual users arrive at once, and each sends its next delivery when the last is answered.`;
  return `# Made by app-sim for Artillery 2; processor.cjs signs the deliveries.\n# ${meaning}\n${stringify(script)}`;
}

/** The arrivals of an open loop: each is one delivery. */
function arrivals({ rate, durationMs, count }: LoadPlan): object {
  const perSecond = rate ?? 1;
  if (durationMs === null) return countedArrivals(count ?? 1, ((count ?? 1) / perSecond) * 1000);
  // Artillery can divide only integer rates among its workers.
  if (Number.isInteger(perSecond)) return { arrivalRate: perSecond, duration: `${durationMs}ms` };
  return countedArrivals(scheduleFor(perSecond, durationMs).total, durationMs);
}

/** Artillery reads a duration without a unit as seconds; it must be an integer. */
function countedArrivals(arrivalCount: number, durationMs: number): object {
  return { arrivalCount, duration: `${Math.ceil(durationMs)}ms` };
}

/** The load in words, for the README of the test. */
export function planText({ mode, rate, concurrency, durationMs, count, batch }: LoadPlan): string {
  const events = batch === 1 ? "one event in each" : `up to ${batch} events in each`;
  const end = count === null ? `for ${(durationMs ?? 0) / 1000} s` : `until ${count} were sent`;
  return mode === "open"
    ? `${rate} deliveries a second ${end}, ${events}, however long the app takes to answer (an open loop)`
    : `${concurrency} senders ${end}, ${events}; each waits for the answer before it sends its next (a closed loop)`;
}
