import { systemClock } from "./ports.ts";

/** How often to look whether the process could listen, in milliseconds. */
const SLICE_MS = 250;
/** How late timers may be although the process listens, in milliseconds. */
const USUAL_DELAY_MS = 50;

/**
 * Calls `onEnd` once this process has listened for `limitMs` milliseconds. Time in which it could not, because of its own
 * work or a busy machine, does not count: an answer that arrived meanwhile is not late.
 */
export function startListeningDeadline(limitMs: number, onEnd: () => void): Disposable {
  let leftMs = limitMs;
  let stop: () => void;
  const listen = () => {
    const sliceMs = Math.min(SLICE_MS, leftMs);
    const began = systemClock.monotonic();
    const timer = setTimeout(() => {
      const passedMs = systemClock.monotonic() - began;
      leftMs -= passedMs > sliceMs + USUAL_DELAY_MS ? sliceMs : passedMs;
      if (leftMs > 0) return listen();
      // Node reads what has arrived before it runs this.
      const immediate = setImmediate(onEnd);
      stop = () => clearImmediate(immediate);
    }, sliceMs);
    stop = () => clearTimeout(timer);
  };
  listen();
  return { [Symbol.dispose]: () => stop() };
}
