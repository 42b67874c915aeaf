import { setMaxListeners } from "node:events";

/** A signal that is aborted as soon as one of several is. */
export interface JoinedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Joins signals until the result is disposed of. The source signals of `AbortSignal.any` keep its result for as long as
 * they live: a platform that stays up would remember every call.
 */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const joined = new AbortController();
  const given = signals.filter((signal) => signal !== undefined);
  const abort = ({ target }: Pick<Event, "target">) => joined.abort((target as AbortSignal).reason);
  // Any number of calls may share a signal: that is not a leak.
  setMaxListeners(0, ...given);
  for (const signal of given) {
    if (signal.aborted) abort({ target: signal });
    else signal.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: joined.signal,
    [Symbol.dispose]: () => {
      for (const signal of given) signal.removeEventListener("abort", abort);
    },
  };
}
