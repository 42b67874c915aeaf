import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pluralIndex } from "../../src/config/plural-index.ts";

describe("pluralIndex", () => {
  it("means what C means", () => {
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5, depthSize: "small" },
        fc.oneof(fc.constant("n"), fc.nat(9).map(String)),
        fc.tuple(fc.constantFrom("!", "-"), tie("expression")).map(([sign, inner]) => `${sign}(${inner})`),
        fc
          .tuple(tie("expression"), fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "+", "-", "*"), tie("expression"))
          .map(([left, operator, right]) => `${left} ${operator} ${right}`),
        fc.tuple(tie("expression"), fc.integer({ min: 1, max: 9 })).map(([left, right]) => `${left} % ${right}`),
        fc
          .tuple(tie("expression"), tie("expression"), tie("expression"))
          .map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
      ),
    }));
    fc.assert(
      fc.property(expression, fc.nat(120), (text, n) => {
        fc.pre(text.length < 2000);
        const expected = Number(new Function("n", `return ${text};`)(n));
        expect((pluralIndex(text)?.(n) ?? Number.NaN) + 0).toBe(expected + 0);
      }),
    );
  });

  it.each([
    ["n == 1 && n", 1, 1],
    ["5 && 7", 0, 1],
    ["0 || 7", 0, 1],
    ["0 || 0", 0, 0],
    ["7 / 2", 0, 3],
    ["n==1 ? 0 : n==2 ? 1 : 2", 2, 1],
    ["n==1 ? 0 : (n%10<=1 ? 2 : 3)", 1, 0],
    ["10 - 2 - 3", 0, 5],
    ["!!n", 5, 1],
    [" n\t%\n10 ", 13, 3],
  ])("%s for %d is %d", (text, n, value) => expect(pluralIndex(text)?.(n)).toBe(value));

  it.each([
    "",
    "n !=",
    "(n != 1",
    "n ? 1",
    "n 1",
    "n = 1",
    "n is 1",
    "process.exit()",
    "'1'",
    "n+".repeat(1001),
    "(".repeat(2000),
  ])("refuses %j", (text) => expect(pluralIndex(text)).toBeNull());
});
