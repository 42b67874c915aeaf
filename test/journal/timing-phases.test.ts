import { expect, test } from "vitest";
import type { Timings } from "../../src/journal/exchange.ts";
import { timingPhases } from "../../src/journal/timing-phases.ts";
import { timingText } from "../../src/output/exchange-text.ts";

test.each<[words: string, timings: Timings]>([
  ["connect 0.4 ms, headers 2.7 ms, body 1.4 ms", { connectMs: 0.4, headersMs: 3.1, totalMs: 4.5 }],
  [
    "connect 0.4 ms, TLS 2.2 ms, headers 0.5 ms, body 0 ms",
    { connectMs: 0.4, tlsMs: 2.6, headersMs: 3.1, totalMs: 3.1 },
  ],
  ["connect 0.4 ms, no answer 9999.6 ms", { connectMs: 0.4, headersMs: null, totalMs: 10_000 }],
  // A request of the app, or a journal of an earlier version.
  ["until the headers 3 ms, body 1.5 ms", { headersMs: 3, totalMs: 4.5 }],
  ["no answer 4.5 ms", { headersMs: null, totalMs: 4.5 }],
])("%s", (words, timings) => {
  expect(timingText(timings)).toBe(words);
  const phases = timingPhases(timings);
  for (const [index, { startMs }] of phases.entries()) {
    const before = phases[index - 1];
    expect(startMs).toBeCloseTo(before === undefined ? 0 : before.startMs + before.ms);
  }
});
