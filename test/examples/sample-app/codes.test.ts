import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createExpiringMap } from "../../../examples/sample-app/expiring-map.js";
import { createCodes } from "../../../examples/sample-app/guard.js";

const holder = { userId: 42, organizationId: 7, moduleKey: "terms" };

/** A clock that the test sets, in milliseconds. */
function createClock() {
  const clock = { time: 1000, now: () => clock.time };
  return clock;
}

describe("a code", () => {
  it("is valid once, for its holder", () => {
    const codes = createCodes();
    const code = codes.issue(holder);
    expect([codes.redeem(code, holder), codes.redeem(code, holder)]).toEqual([true, false]);
  });

  it.each([
    ["user", { ...holder, userId: 43 }],
    ["organization", { ...holder, organizationId: 8 }],
    ["module", { ...holder, moduleKey: "presence" }],
  ])("is not valid for another %s, and such a try does not use it up", (_what, other) => {
    const codes = createCodes();
    const code = codes.issue(holder);
    expect([codes.redeem(code, other), codes.redeem(code, holder)]).toEqual([false, true]);
  });

  it.each([
    [119_999, true],
    [120_000, false],
    [10_000_000, false],
  ])("after %i ms is valid: %s", (elapsed, isGood) => {
    const clock = createClock();
    const codes = createCodes(clock.now);
    const code = codes.issue(holder);
    clock.time += elapsed;
    expect(codes.redeem(code, holder)).toBe(isGood);
  });

  it("has 256 bits in URL-safe characters, and never repeats", () => {
    const codes = createCodes();
    const issued = Array.from({ length: 1000 }, () => codes.issue(holder));
    for (const code of issued) expect(code).toMatch(/^[\w-]{43}$/);
    expect(new Set(issued).size).toBe(issued.length);
  });

  it("is not affected by a change of the object that it was issued for", () => {
    const codes = createCodes();
    const changing = { ...holder };
    const code = codes.issue(changing);
    changing.userId = 43;
    expect([codes.redeem(code, changing), codes.redeem(code, holder)]).toEqual([false, true]);
  });

  it("is known to this app only: 10,000 newer ones displace the oldest", () => {
    const codes = createCodes();
    const [first = "", second = ""] = Array.from({ length: 10_001 }, () => codes.issue(holder));
    expect([codes.redeem(first, holder), codes.redeem(second, holder)]).toEqual([false, true]);
    expect(createCodes().redeem(second, holder)).toBe(false);
  });
});

describe("an expiring map", () => {
  it("drops expired entries when something new comes", () => {
    const clock = createClock();
    const map = createExpiringMap(100, 10, clock.now);
    for (const key of ["a", "b", "c"]) {
      map.add(key, 1);
      clock.time += 40;
    }
    expect(map.size).toBe(3);
    map.add("d", 1);
    expect([map.size, map.get("a"), map.get("b")]).toEqual([3, undefined, 1]);
  });

  it("holds the newest entries that are not older than their lifetime, and never more than its limit", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e", "__proto__");
    const step = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key }),
      fc.record({ do: fc.constant("delete" as const), key }),
      fc.record({ do: fc.constant("wait" as const), time: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = createClock();
        const map = createExpiringMap(100, 3, clock.now);
        /** Oldest first. */
        let model: { key: string; value: number; end: number }[] = [];
        for (const [value, one] of steps.entries()) {
          if (one.do === "wait") clock.time += one.time;
          else map[one.do](one.key, value);
          if (one.do !== "wait") model = model.filter((entry) => entry.key !== one.key);
          model = model.filter((entry) => clock.time < entry.end);
          if (one.do === "add") model = [...model, { key: one.key, value, end: clock.time + 100 }].slice(-3);
          for (const name of ["a", "b", "c", "d", "e", "__proto__"]) {
            expect(map.get(name)).toBe(model.find((entry) => entry.key === name)?.value);
          }
          expect(map.size).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
