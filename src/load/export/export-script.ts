import { stringify } from "yaml";
import type { LoadPlan } from "../load-options.ts";
import { scheduleFor } from "../rules/load-schedule.ts";
import { BODIES_FILE } from "./export-bodies.ts";

/** Name of the file that Artillery is given. */
export const SCRIPT_FILE = "webhooks.yml";
/** Name of the module with the functions that Artillery calls. */
export const PROCESSOR_FILE = "processor.cjs";

/** How long a delivery may take, and where its address begins. */
export interface ScriptTarget {
  /** An origin, which those who run the test may replace. */
  readonly target: string;
  readonly timeoutMs: number;
}

/** Virtual users of a closed loop: no more of them than deliveries. */
export function usersOf({ concurrency, count }: LoadPlan): number | null {
  return concurrency === null ? null : Math.min(concurrency, count ?? concurrency);
}

/** The test script for Artillery 2, in YAML. */
export function scriptText(plan: LoadPlan, { target, timeoutMs }: ScriptTarget): string {
  const post = {
    url: "/",
    // A redirect is a failure, and answers are not decoded.
    followRedirect: false,
    gzip: false,
    beforeRequest: "sign",
    afterResponse: "judge",
  };
  const users = usersOf(plan);
  const script = {
    config: {
      target,
      processor: `./${PROCESSOR_FILE}`,
      includeFiles: [BODIES_FILE],
      http: { timeout: timeoutMs / 1000, pool: plan.connections },
      phases: [users === null ? arrivals(plan) : { arrivalCount: users, duration: milliseconds(users) }],
      plugins: { ensure: {} },
      ensure: { conditions: [{ expression: "deliveries.failed == 0 and vusers.failed == 0" }] },
    },
    scenarios: [
      {
        name: "deliveries",
        flow: users === null ? [{ post }] : [{ loop: [{ post }], whileTrue: "another" }],
      },
    ],
  };
  return `${comment(plan)}${stringify(script)}`;
}

/** Of an open loop: every arrival is one delivery. */
function arrivals({ rate, durationMs, count }: LoadPlan): Readonly<Record<string, string | number>> {
  const perSecond = rate ?? 1;
  if (durationMs === null) return countedArrivals(count ?? 1, ((count ?? 1) / perSecond) * 1000);
  // Artillery divides whole rates among its workers; it cannot divide others.
  if (Number.isInteger(perSecond)) return { arrivalRate: perSecond, duration: milliseconds(durationMs) };
  return countedArrivals(scheduleFor(perSecond, durationMs).total, durationMs);
}

function countedArrivals(arrivalCount: number, durationMs: number) {
  return { arrivalCount, duration: milliseconds(Math.ceil(durationMs)) };
}

/** A bare number of Artillery's is seconds, and has to be a whole one. */
function milliseconds(duration: number): string {
  return `${duration}ms`;
}

function comment({ mode, concurrency }: LoadPlan): string {
  const meaning =
    mode === "open"
      ? "# Open loop: every arrival is one delivery, however long the app takes to answer.\n"
      : `# Closed loop: ${concurrency} virtual users arrive at once, and each sends its next delivery when the last is answered.\n`;
  return `# Made by app-sim for Artillery 2; ${PROCESSOR_FILE} signs the deliveries.\n${meaning}`;
}
