import fc from "fast-check";
import { expect, test } from "vitest";
import { withCommas } from "../../src/protocol/with-commas.ts";

test("any whole number has commas where English has them", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(withCommas(count)).toBe(count.toLocaleString("en-US"));
    }),
  );
});
