import { systemClock } from "../app-client/ports.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import { headerValue } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { isIncoming } from "../journal/purposes.ts";
import { offsetText } from "../platform/platform-clock.ts";

/** A clock that differs by less was not set: it is slightly off, or the answer took a while. */
const SAME_MS = 60_000;

/** The time that a verification uses. */
interface AppTime extends Disposable {
  readonly warnings: readonly string[];
}

/**
 * Sets a changed platform clock to real time until disposed: by the app's clock, which was not changed, a token that
 * has just expired by the platform's may be valid for hours. If the app's clock was set along with the platform's, both
 * stay.
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
      `the platform's clock was set (${how}), but the app's was not: verify used real time; \`app-sim clock reset\` resets it`,
    ],
    [Symbol.dispose]: clockFace.showRealTime(),
  };
}

/** Whether the app's clock shows this time rather than real time, by the Date of its last answer. */
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

/** Warns of faults requested from the platform, which the app may encounter during the checks. */
export function faultWarnings({ oauth }: Pick<VerifyContext, "oauth">): string[] {
  const faults = oauth.faults.list().map(({ fault }) => fault);
  if (faults.length === 0) return [];
  return [
    `requested faults are active on the platform (${faults.join(", ")}), and the app may encounter them; \`app-sim fault clear\` removes them`,
  ];
}
