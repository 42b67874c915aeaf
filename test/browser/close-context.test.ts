import { expect, test } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import { closeContext } from "../../src/browser/close-context.ts";

test("a visit ends even if Chromium never reports that its context is closed", async () => {
  const waited: number[] = [];
  const clock = { ...systemClock, pause: async (ms: number) => void waited.push(ms) };
  await closeContext({ close: () => new Promise(() => {}) }, clock);
  expect(waited).toEqual([2000]);
});

test("nothing keeps waiting once the context is closed", async () => {
  const pauses: (AbortSignal | undefined)[] = [];
  const clock = {
    ...systemClock,
    pause: (_: number, signal: AbortSignal | undefined) => {
      pauses.push(signal);
      return new Promise<void>(() => {});
    },
  };
  await closeContext({ close: async () => {} }, clock);
  expect(pauses.map((signal) => signal?.aborted)).toEqual([true]);
});
