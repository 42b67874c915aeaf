import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFaults, type Faults } from "../../src/oauth/endpoints/apply-faults.ts";
import { parseFault } from "../../src/oauth/rules/faults.ts";
import { type FaultPlace, faultKinds } from "../../src/protocol/fault-kinds.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

const places = Object.keys(faultKinds) as FaultPlace[];
const everyFault = places.flatMap((place) =>
  faultKinds[place].map((kind) => ({ place, kind, text: `${place}=${kind}` })),
);

function refusal(text: string): UsageError {
  try {
    parseFault(text);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

/** Whether each of so many requests is struck. */
function strikes(faults: Faults, place: FaultPlace, requests: number): boolean[] {
  return Array.from({ length: requests }, () => faults.take([place]) !== null);
}

describe("a fault is written as", () => {
  test.each(everyFault)("$text", ({ place, kind, text }) => {
    const delayMs = kind === "slow" ? 5000 : 0;
    expect(parseFault(text)).toEqual({ place, kind, delayMs, times: null, probability: 1, text });
  });

  test.each([
    ["token=500x2", { kind: "500", delayMs: 0, times: 2, probability: 1 }],
    ["api=429@25%", { kind: "429", delayMs: 0, times: null, probability: 0.25 }],
    ["api=429@0.5%", { kind: "429", delayMs: 0, times: null, probability: 0.005 }],
    ["api=429@100%", { kind: "429", delayMs: 0, times: null, probability: 1 }],
    ["token=slow:3s", { kind: "slow", delayMs: 3000, times: null, probability: 1 }],
    ["token=slow:1h", { kind: "slow", delayMs: 3_600_000, times: null, probability: 1 }],
    ["refresh=slow:500msx3", { kind: "slow", delayMs: 500, times: 3, probability: 1 }],
    ["api=slow:1m@10%", { kind: "slow", delayMs: 60_000, times: null, probability: 0.1 }],
  ])("%s", (text, rule) => {
    expect(parseFault(text)).toMatchObject({ ...rule, text });
  });

  test("any mix of place, kind, duration and number of times, and is read as written", () => {
    const often = fc.oneof(
      fc.constant({ end: "", times: null, percent: 100 }),
      fc.integer({ min: 1, max: 1_000_000 }).map((times) => ({ end: `x${times}`, times, percent: 100 })),
      fc.integer({ min: 1, max: 100 }).map((percent) => ({ end: `@${percent}%`, times: null, percent })),
    );
    const seconds = fc.option(fc.integer({ min: 1, max: 3600 }));
    fc.assert(
      fc.property(fc.constantFrom(...everyFault), seconds, often, (fault, wait, { end, times, percent }) => {
        const isTimed = fault.kind === "slow" && wait !== null;
        const text = `${fault.text}${isTimed ? `:${wait}s` : ""}${end}`;
        const delayMs = fault.kind === "slow" ? (wait ?? 5) * 1000 : 0;
        const rule = { place: fault.place, kind: fault.kind, delayMs, times, probability: percent / 100, text };
        expect(parseFault(text)).toEqual(rule);
      }),
    );
  });
});

describe("a fault is refused", () => {
  test.each([
    ["", /there is no =/, /PLACE=KIND/],
    ["token", /there is no =/, /PLACE=KIND/],
    ["token:500x2", /there is no =/, /^token=500x2$/],
    ["token=500,api=429@25%", /pass each fault as a separate argument/, /^token=500 api=429@25%$/],
    ["=500", /no place ""/, /token, refresh, api, consent/],
    ["tokn=500", /no place "tokn"\. Did you mean "token"\?/, /token, refresh, api, consent/],
    ["constructor=500", /no place "constructor"/, /token, refresh, api, consent/],
    ["token=", /no kind "" at token/, /at token: 400, 500, 503, slow, html, garbage;/],
    ["token=refused", /no kind "refused" at token/, /at token: 400, 500, 503, slow, html, garbage;/],
    ["refresh=refuse", /no kind "refuse" at refresh\. Did you mean "refused"\?/, /at refresh: refused, 400/],
    ["api=400", /no kind "400" at api/, /at api: 401, 403, 404, 429, 500, 503, slow, html, garbage;/],
    ["consent=slow", /no kind "slow" at consent/, /at consent: denied, server_error, temporarily_unavailable;/],
    ["consent=denyd", /Did you mean "denied"\?/, /at consent/],
    ["token=500 ", /no kind "500 " at token/, /at token/],
    ["token=500x", /no kind "500x" at token\. Did you mean "500"\?/, /xTIMES/],
    ["token=500x-1", /no kind "500x-1" at token/, /xTIMES/],
    ["token=500x2x3", /no kind "500x2" at token/, /xTIMES/],
    ["token=500x2@25%", /no kind "500x2" at token/, /xTIMES or @PERCENT%/],
    ["token=500x0", /x0 is not a number of times/, /whole number from 1/],
    ["token=500x99999999999999999", /x99999999999999999 is not a number of times/, /whole number from 1/],
    ["token=500@", /"@" is not a percentage/, /as in api=429@25%/],
    ["token=500@25", /"@25" is not a percentage/, /as in api=429@25%/],
    ["token=500@0%", /"@0%" is not a percentage/, /more than 0/],
    ["token=500@0.0%", /"@0.0%" is not a percentage/, /more than 0/],
    ["token=500@101%", /"@101%" is not a percentage/, /at most 100/],
    ["token=500@-5%", /"@-5%" is not a percentage/, /more than 0/],
    ["token=500@25%x2", /"@25%x2" is not a percentage/, /as in api=429@25%/],
    ["token=500:3s", /only slow takes a duration, not 500/, /remove the colon/],
    ["token=slow:", /"" is not a duration/, /whole numbers with the units/],
    ["token=slow:soon", /"soon" is not a duration/, /whole numbers with the units/],
    ["token=slow:0s", /0s is not a time to wait/, /more than 0 and at most 1h/],
    ["token=slow:1h1ms", /1h1ms is not a time to wait/, /at most 1h/],
  ])("%s", (text, message, hint) => {
    const error = refusal(text);
    expect(error.code).toBe("fault-invalid");
    expect(error.message).toMatch(message);
    expect(error.message.startsWith(`fault ${JSON.stringify(text)}: `)).toBe(true);
    expect(error.hint).toMatch(hint);
  });
});

describe("faults strike", () => {
  test("each time, and only at their place", () => {
    const faults = createFaults(["api=500"], 1);
    expect(strikes(faults, "api", 100)).toEqual(Array(100).fill(true));
    expect(strikes(faults, "token", 100)).toEqual(Array(100).fill(false));
  });

  test("and report their place, kind and delay", () => {
    const faults = createFaults(["token=slow:3sx1"], 1);
    expect(faults.take(["token"])).toEqual({ place: "token", kind: "slow", delayMs: 3000 });
    expect(faults.take(["token"])).toBeNull();
  });

  test("as often as requested, one after the other", () => {
    const counts = fc.array(
      fc.record({ kind: fc.constantFrom(...faultKinds.api), times: fc.integer({ min: 1, max: 9 }) }),
    );
    fc.assert(
      fc.property(counts, fc.integer(), (asked, seed) => {
        const faults = createFaults(
          asked.map(({ kind, times }) => `api=${kind}x${times}`),
          seed,
        );
        for (const { kind, times } of asked) {
          for (let left = times; left > 0; left -= 1) {
            expect(faults.list()[0]).toEqual({ fault: `api=${kind}x${times}`, left });
            expect(faults.take(["api"])?.kind).toBe(kind);
          }
        }
        expect(faults.take(["api"])).toBeNull();
        expect(faults.list()).toEqual([]);
      }),
    );
  });

  test("the more specific place first, whatever the order in which they were added", () => {
    const faults = createFaults(["token=500", "refresh=refusedx1"], 1);
    expect(faults.take(["token"])?.kind).toBe("500");
    expect(faults.take(["refresh", "token"])).toEqual({ place: "refresh", kind: "refused", delayMs: 0 });
    expect(faults.take(["refresh", "token"])).toEqual({ place: "token", kind: "500", delayMs: 0 });
  });

  test("in the order in which they were added at one place", () => {
    const faults = createFaults(["api=429x1", "api=500"], 1);
    faults.add("api=404x1");
    expect([1, 2, 3].map(() => faults.take(["api"])?.kind)).toEqual(["429", "500", "500"]);
    expect(faults.list()).toEqual([
      { fault: "api=500", left: null },
      { fault: "api=404x1", left: 1 },
    ]);
  });

  test("no longer once they are cleared", () => {
    const faults = createFaults(["api=500", "token=500x2"], 1);
    faults.clear();
    expect(faults.list()).toEqual([]);
    expect(faults.take(["refresh", "token"])).toBeNull();
    expect(faults.take(["api"])).toBeNull();
  });

  test("not at all if one of those added is wrong", () => {
    const faults = createFaults(["api=500"], 1);
    expect(() => faults.add("token=500", "token=501")).toThrow(UsageError);
    expect(() => createFaults(["token=501"], 1)).toThrow(UsageError);
    expect(faults.list()).toEqual([{ fault: "api=500", left: null }]);
  });
});

describe("chance", () => {
  test.each([0.5, 10, 25, 50, 99])("of %d% strikes about as often", (percent) => {
    const requests = 20_000;
    for (const seed of [0, 1, 2026, -7, 2 ** 32 - 1]) {
      const struck = strikes(createFaults([`api=500@${percent}%`], seed), "api", requests).filter(Boolean).length;
      // Five standard deviations of a fair draw.
      const share = percent / 100;
      const margin = 5 * Math.sqrt(requests * share * (1 - share));
      expect(Math.abs(struck - requests * share), `seed ${seed}: ${struck} of ${requests}`).toBeLessThan(margin);
    }
  });

  test("is that of mulberry32", () => {
    // The first numbers for seed 1 are 0.627, 0.003, 0.527, 0.981, 0.968.
    expect(strikes(createFaults(["api=500@52.6%"], 1), "api", 5)).toEqual([false, true, false, false, false]);
    expect(strikes(createFaults(["api=500@52.8%"], 1), "api", 5)).toEqual([false, true, true, false, false]);
  });

  test("is the same for the same seed, and different for another", () => {
    const sequence = (seed: number) => strikes(createFaults(["api=500@50%"], seed), "api", 64).join();
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(sequence(seed)).toBe(sequence(seed));
        expect(sequence(seed)).not.toBe(sequence(seed + 1));
      }),
    );
  });

  test("at one place does not depend on requests at another", () => {
    const texts = ["api=500@50%", "token=500@50%"];
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.nat(3), { minLength: 8, maxLength: 32 }), (seed, between) => {
        const alone = strikes(createFaults(texts, seed), "token", between.length);
        const faults = createFaults(texts, seed);
        const mixed = between.map((others) => {
          strikes(faults, "api", others);
          return faults.take(["token"]) !== null;
        });
        expect(mixed).toEqual(alone);
      }),
    );
  });

  test("differs between any two faults, together or one by one", () => {
    const faults = createFaults(["api=500@50%", "token=500@50%"], 1);
    faults.add("refresh=500@50%");
    const sequences = (["api", "token", "refresh"] as const).map((place) => strikes(faults, place, 64).join());
    expect(new Set(sequences).size).toBe(3);
  });

  test("starts again when the faults are cleared", () => {
    const faults = createFaults(["api=500@50%"], 7);
    const before = strikes(faults, "api", 64);
    faults.clear();
    faults.add("api=500@50%");
    expect(strikes(faults, "api", 64)).toEqual(before);
  });
});
