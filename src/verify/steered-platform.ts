import { systemClock } from "../app-client/ports.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import { headerValue } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { isIncoming } from "../journal/purposes.ts";
import { offsetText } from "../platform/platform-clock.ts";

/** A clock that differs by less was not set: it is a little wrong, or the answer took a while. */
const SAME_MS = 60_000;

/** The time that a verification goes by. */
interface AppTime extends Disposable {
  readonly warnings: readonly string[];
}

/**
 * Lets the platform show real time until it is disposed of, where its clock was set: by the app's clock, which nobody
 * set, a token that has just expired by the platform's may be good for hours. An app whose own clock was set with the
 * platform's keeps that.
 */
export function asAppSeesTime({ clockFace, journal }: Pick<VerifyContext, "clockFace" | "journal">): AppTime {
  const state = clockFace?.state();
  const isReal = state === undefined || (!state.frozen && state.offsetMs === 0);
  if (clockFace === null || isReal || isAppSetTo(Date.parse(state.now), journal)) {
    return { warnings: [], [Symbol.dispose]() {} };
  }
  const how = `${state.frozen ? "frozen, " : ""}${offsetText(state.offsetMs)}`;
  return {
    warnings: [
      `the platform's clock was set (${how}), and the app's was not: verify went by real time; \`app-sim clock reset\` sets it back`,
    ],
    [Symbol.dispose]: clockFace.showRealTime(),
  };
}

/** Whether the app's own clock is at this time and not at the real one, by the Date of its last answer. */
function isAppSetTo(time: number, journal: Journal): boolean {
  const dates = journal.list().flatMap((record) => {
    if (record.type !== "exchange" || isIncoming(record.purpose) || record.purpose === "file") return [];
    const date = Date.parse(headerValue(record.response?.headers ?? [], "date") ?? "");
    return Number.isNaN(date) ? [] : [date];
  });
  const last = dates.at(-1);
  if (last === undefined) return false;
  const distance = Math.abs(last - time);
  return distance < SAME_MS && distance < Math.abs(last - systemClock.now());
}

/** What the app meets beside the checks, because somebody asked the platform for it. */
export function faultWarnings({ oauth }: Pick<VerifyContext, "oauth">): string[] {
  const faults = oauth.faults.list().map(({ fault }) => fault);
  if (faults.length === 0) return [];
  return [
    `the platform has faults that were asked for (${faults.join(", ")}), and the app may meet them; \`app-sim fault clear\` takes them away`,
  ];
}
