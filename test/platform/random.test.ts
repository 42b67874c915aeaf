import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom, shuffled } from "../../src/platform/random.ts";

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const take = (seed: number, count: number) => Array.from({ length: count }, seededRandom(seed));

describe("seededRandom", () => {
  test("gives the numbers of mulberry32, so that a seed means the same in every release", () => {
    expect(take(1, 3).map((number) => number * 2 ** 32)).toEqual([2_693_262_067, 11_749_833, 2_265_367_787]);
  });

  test("for any seed: numbers from 0 to below 1, the same each time", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const numbers = take(seed, 50);
        expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
        expect(take(seed, 50)).toEqual(numbers);
      }),
    );
  });

  test("another seed gives other numbers", () => {
    const first = Array.from({ length: 1_000 }, (_, seed) => seededRandom(seed)());
    expect(new Set(first).size).toBe(1_000);
  });

  test("every tenth of the range is about equally frequent", () => {
    const tenths = Array<number>(10).fill(0);
    for (const number of take(7, 100_000)) {
      const tenth = Math.floor(number * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(count).toBeGreaterThan(9_500);
  });
});

describe("shuffled", () => {
  test("is a permutation, the same for the same seed, and leaves its input unchanged", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), seeds, (items, seed) => {
        const before = [...items];
        const result = shuffled(items, seededRandom(seed));
        expect([...result].sort()).toEqual([...items].sort());
        expect(items).toEqual(before);
        expect(shuffled(items, seededRandom(seed))).toEqual(result);
      }),
    );
  });

  test("every order of three is about equally frequent", () => {
    const random = seededRandom(3);
    const counts = new Map<string, number>();
    for (let round = 0; round < 6_000; round += 1) {
      const order = shuffled(["a", "b", "c"], random).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(count).toBeGreaterThan(850);
  });
});
