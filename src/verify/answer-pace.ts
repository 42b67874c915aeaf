/** How many recent answers predict how long the next will take. */
const LAST = 10;
/** Faster apps are not mentioned. */
const SLOW_MS = 100;

/** How long the app currently takes to answer, to explain a slow run. */
export interface AnswerPace {
  /** Adds an answer that took this many milliseconds. */
  answered(ms: number): void;
  /** `the app takes about 0.4 s to answer`; null for a fast app. */
  text(): string | null;
}

/** Creates a pace without any answer yet. */
export function answerPace(): AnswerPace {
  const last: number[] = [];
  return {
    answered(ms) {
      last.push(ms);
      if (last.length > LAST) last.shift();
    },
    text() {
      // The median, because some requests take long on purpose.
      const middle = last.toSorted((a, b) => a - b)[Math.floor((last.length - 1) / 2)] ?? 0;
      if (middle < SLOW_MS) return null;
      const seconds = middle / 1000;
      return `the app takes about ${seconds.toFixed(seconds < 1 ? 1 : 0)} s to answer`;
    },
  };
}
