import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/platform/random.ts";
import { tamperings } from "../../src/protocol/webhook.ts";
import { type Disturbances, planDeliveries } from "../../src/webhook/rules/delivery-plan.ts";

const calm: Disturbances = {
  duplicate: 0,
  shuffle: false,
  delay: { min: 0, max: 0 },
  drop: 0,
  tamper: [],
  respell: false,
};
const usual = { respelled: false, nonAscii: false, fallsBack: false };
const letters = ["a", "b", "c"].map((id) => ({ id }));

function plan(adversity: Partial<Disturbances> = {}, seed = 1, addressed = letters) {
  return planDeliveries(addressed, { ...calm, ...adversity }, seededRandom(seed));
}

test("without disturbances: each once, in order, without delay", () => {
  expect(plan()).toEqual(
    letters.map(({ id }) => ({ id, copy: 0, tampering: null, ...usual, dropped: false, delayMs: 0 })),
  );
});

test("duplicates follow the delivery that they repeat", () => {
  expect(plan({ duplicate: 2 }).map(({ id, copy }) => `${id}${copy}`)).toEqual(
    ["a", "b", "c"].flatMap((id) => [`${id}0`, `${id}1`, `${id}2`]),
  );
});

test("a tampered delivery is between two correct ones, and a right one in another spelling follows", () => {
  const [first] = letters;
  const kinds = plan({ tamper: ["body", "secret", "body"] }, 1, first === undefined ? [] : [first]);
  expect(kinds.map(({ tampering, copy, respelled }) => [tampering, copy, respelled])).toEqual([
    [null, 0, false],
    ["body", 0, false],
    ["secret", 0, false],
    [null, 1, false],
    [null, 0, true],
  ]);
});

test("non-ASCII letters are tried only if everything is", () => {
  const isTried = (tamper: Disturbances["tamper"]) => plan({ tamper }).some(({ nonAscii }) => nonAscii);
  expect([isTried(tamperings), isTried(["body", "secret"]), isTried([])]).toEqual([true, false, false]);
});

test("the first delivery of each module is itself spelled differently, with its duplicates; nothing is added", () => {
  const bodies = letters.map(({ id }) => ({ id, mayRespell: id !== "c" }));
  const made = (some: Partial<Disturbances>) =>
    planDeliveries(bodies, { ...calm, respell: true, ...some }, seededRandom(1));
  expect(made({}).map(({ id, respelled }) => [id, respelled])).toEqual([
    ["a", true],
    ["b", true],
    ["c", false],
  ]);
  expect(made({ duplicate: 1 }).map(({ id, copy, fallsBack }) => [id, copy, fallsBack])).toEqual([
    ["a", 0, true],
    ["a", 1, true],
    ["b", 0, true],
    ["b", 1, true],
    ["c", 0, false],
    ["c", 1, false],
  ]);
  expect(made({ tamper: ["body"] }).filter(({ fallsBack }) => fallsBack)).toEqual([]);
});

describe("by chance", () => {
  const adversity = fc.record({
    duplicate: fc.integer({ min: 0, max: 4 }),
    shuffle: fc.boolean(),
    delay: fc.record({ min: fc.integer({ min: 0, max: 50 }), max: fc.integer({ min: 50, max: 100 }) }),
    drop: fc.double({ min: 0, max: 1, noNaN: true }),
    tamper: fc.uniqueArray(fc.constantFrom(...tamperings)),
  });

  test("the same seed gives the same plan", () => {
    fc.assert(
      fc.property(adversity, fc.nat(), (some, seed) => {
        expect(plan(some, seed)).toEqual(plan(some, seed));
      }),
    );
  });

  test("nothing is lost or added in any order, and delays keep their limits", () => {
    fc.assert(
      fc.property(adversity, fc.nat(), (some, seed) => {
        const key = ({ id, copy, tampering, respelled }: ReturnType<typeof plan>[number]) =>
          `${id} ${copy} ${tampering} ${respelled}`;
        const made = plan(some, seed);
        expect(made.map(key).sort()).toEqual(
          plan({ ...some, shuffle: false }, seed)
            .map(key)
            .sort(),
        );
        for (const { delayMs } of made) {
          expect(delayMs).toBeGreaterThanOrEqual(some.delay.min);
          expect(delayMs).toBeLessThanOrEqual(some.delay.max);
        }
      }),
    );
  });

  test("the dropped share is about the requested one; none and all are exact", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: String(index) }));
    const dropped = (drop: number) => plan({ drop }, 7, many).filter((one) => one.dropped).length;
    expect([dropped(0), dropped(1)]).toEqual([0, 10_000]);
    expect(Math.abs(dropped(0.2) - 2000)).toBeLessThan(200);
  });

  test("of identical deliveries, the first one sent is not a duplicate", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const copies = plan({ duplicate: 2, shuffle: true }, seed).filter(({ id }) => id === "a");
      expect(copies.map(({ copy }) => copy)).toEqual([0, 1, 2]);
    }
  });

  test("deliveries are shuffled", () => {
    const orders = [1, 2, 3, 4, 5, 6].map((seed) =>
      plan({ shuffle: true }, seed)
        .map(({ id }) => id)
        .join(""),
    );
    expect(new Set(orders).size).toBeGreaterThan(1);
  });
});
