import { expect, test } from "vitest";
import { closedLoop, openLoop } from "../../src/load/send-load.ts";
import { steeredClock } from "../rig/clock.ts";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("an open loop starts each delivery on time, however late the clock wakes up", async () => {
  const clock = steeredClock();
  const begun: [index: number, due: number, at: number][] = [];
  const done = openLoop({ rate: 250, total: 12 }, clock, undefined, (index, due) => {
    begun.push([index, due, clock.monotonic()]);
  });
  expect(begun).toEqual([[0, 0, 0]]);
  clock.advance(4);
  await nextTurn();
  expect(begun.slice(1)).toEqual([[1, 4, 4]]);
  clock.advance(3);
  await nextTurn();
  expect(begun).toHaveLength(2);
  // A stall: what was due meanwhile leaves at once, and is known to be late.
  clock.advance(25);
  await nextTurn();
  expect(begun.slice(2)).toEqual([2, 3, 4, 5, 6, 7, 8].map((index) => [index, index * 4, 32]));
  for (let left = 0; left < 3; left++) {
    clock.advance(4);
    await nextTurn();
  }
  await done;
  expect(begun.slice(9)).toEqual([9, 10, 11].map((index) => [index, index * 4, index * 4]));
});

test("an interrupted open loop starts no more", async () => {
  const clock = steeredClock();
  const interruption = new AbortController();
  const begun: number[] = [];
  const done = openLoop({ rate: 10, total: 100 }, clock, interruption.signal, (index) => begun.push(index));
  interruption.abort();
  await done;
  expect(begun).toEqual([0]);
});

test("a closed loop has one delivery in flight for each sender", async () => {
  const ends: (() => void)[] = [];
  const send = () => new Promise<void>((resolve) => ends.push(resolve));
  const done = closedLoop({ concurrency: 3, durationMs: null, count: 5 }, steeredClock(), undefined, send);
  expect(ends).toHaveLength(3);
  ends[1]?.();
  await nextTurn();
  expect(ends).toHaveLength(4);
  ends[0]?.();
  await nextTurn();
  expect(ends).toHaveLength(5);
  for (const end of ends) end();
  await done;
  expect(ends).toHaveLength(5);
});

test("a closed loop ends when its time is over, after the deliveries in flight", async () => {
  const clock = steeredClock();
  let sent = 0;
  await closedLoop({ concurrency: 2, durationMs: 100, count: null }, clock, undefined, async () => {
    sent += 1;
    clock.advance(10);
  });
  expect(sent).toBe(10);
});
