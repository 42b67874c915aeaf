/** Answers before the last ones say nothing of how long the next will take. */
const LAST = 10;
/** A faster app needs no word. */
const SLOW_MS = 1000;

/** How long the app takes for an answer at this time, for whoever waits for the end. */
export interface AnswerPace {
  /** Another answer came, after so many milliseconds. */
  answered(ms: number): void;
  /** What follows the progress: `; the app takes about 9 s for an answer`; "" for a fast app. */
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
      // Some requests are meant to take long: the middle one of the last is told.
      const middle = last.toSorted((a, b) => a - b)[Math.floor((last.length - 1) / 2)] ?? 0;
      return middle < SLOW_MS ? "" : `; the app takes about ${Math.round(middle / 1000)} s for an answer`;
    },
  };
}
