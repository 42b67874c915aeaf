/** How many recent answers predict how long the next will take. */
const LAST = 10;
/** Faster apps are not mentioned. */
const SLOW_MS = 1000;

/** How long the app currently takes to answer, to explain a slow run. */
export interface AnswerPace {
  /** Adds an answer that took this many milliseconds. */
  answered(ms: number): void;
  /** Appended to the progress: `; the app takes about 9 s to answer`; "" for a fast app. */
  text(): string;
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
      return middle < SLOW_MS ? "" : `; the app takes about ${Math.round(middle / 1000)} s to answer`;
    },
  };
}
