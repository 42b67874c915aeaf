import fc from "fast-check";
import { expect, test } from "vitest";
import { withCommas } from "../../src/protocol/with-commas.ts";

test("any whole number gets commas as in English", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(withCommas(count)).toBe(count.toLocaleString("en-US"));
    }),
  );
});
