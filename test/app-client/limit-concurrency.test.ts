import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitConcurrency } from "../../src/app-client/limit-concurrency.ts";

/** Work that the test ends, and what is under way. */
function workshop() {
  const running: number[] = [];
  const begun: number[] = [];
  const ends = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const work = (name: number) => () => {
    running.push(name);
    begun.push(name);
    return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject })).finally(() => {
      running.splice(running.indexOf(name), 1);
    });
  };
  return { running, begun, ends, work };
}

describe("limitConcurrency", () => {
  it("starts as many as fit at once, and the next as soon as one has ended, in order", async () => {
    const { begun, ends, work } = workshop();
    const inTurn = limitConcurrency(2);
    const all = [1, 2, 3, 4].map((name) => inTurn(work(name)));
    expect(begun).toEqual([1, 2]);
    ends.get(2)?.resolve("two");
    expect(await all[1]).toBe("two");
    await Promise.resolve();
    expect(begun).toEqual([1, 2, 3]);
    ends.get(1)?.resolve("one");
    ends.get(3)?.resolve("three");
    await Promise.all([all[0], all[2]]);
    await Promise.resolve();
    expect(begun).toEqual([1, 2, 3, 4]);
    ends.get(4)?.resolve("four");
    expect(await Promise.all(all)).toEqual(["one", "two", "three", "four"]);
  });

  it("passes errors on, and continues", async () => {
    const inTurn = limitConcurrency(1);
    const broken = inTurn(() => Promise.reject(new Error("broken")));
    const thrown = inTurn(() => {
      throw new Error("thrown");
    });
    const fine = inTurn(async () => "fine");
    await expect(broken).rejects.toThrow("broken");
    await expect(thrown).rejects.toThrow("thrown");
    expect(await fine).toBe("fine");
  });

  it("R34: never runs more than its limit, and each piece of work once, whenever it arrives", async () => {
    const piece = fc.record({ waits: fc.nat({ max: 2 }), takes: fc.integer({ min: 1, max: 4 }) });
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
    };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(piece, { maxLength: 30 }), async (limit, pieces) => {
        const inTurn = limitConcurrency(limit);
        const begun: number[] = [];
        const results: Promise<number>[] = [];
        let running = 0;
        for (const [index, { waits, takes }] of pieces.entries()) {
          await ticks(waits);
          const work = async () => {
            begun.push(index);
            running += 1;
            expect(running).toBeLessThanOrEqual(limit);
            await ticks(takes);
            running -= 1;
            return index;
          };
          results.push(inTurn(work));
        }
        const inOrder = pieces.map((_, index) => index);
        expect(await Promise.all(results)).toEqual(inOrder);
        expect(begun.sort((a, b) => a - b)).toEqual(inOrder);
      }),
      { numRuns: 150 },
    );
  });
});
