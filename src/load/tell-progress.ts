import type { SimulatorContext } from "../platform/context.ts";
import type { Tally } from "./tally.ts";

const EVERY_MS = 1000;

/** Tells once a second how the load goes, until the returned function is called. */
export function tellProgress({ clock, onProgress }: SimulatorContext, tally: Tally, total: number | null): () => void {
  let before = { at: clock.monotonic(), done: 0 };
  const timer = setInterval(() => {
    const { sent, failed, notSent, latency } = tally.counts();
    const now = { at: clock.monotonic(), done: sent };
    const perSecond = Math.round(((now.done - before.done) * 1000) / (now.at - before.at));
    const p95 = latency === null ? "" : `, p95 ${Math.round(latency.p95).toLocaleString("en-US")} ms`;
    const errors = failed === 0 ? "" : `, ${failed.toLocaleString("en-US")} failed`;
    const missing = notSent === 0 ? "" : `, ${notSent.toLocaleString("en-US")} never sent`;
    const what = `deliveries, ${perSecond.toLocaleString("en-US")}/s${p95}${errors}${missing}`;
    onProgress({ what, done: now.done, ...(total === null ? {} : { of: total }) });
    before = now;
  }, EVERY_MS);
  return () => clearInterval(timer);
}
