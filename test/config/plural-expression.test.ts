import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPluralExpression } from "../../src/config/plural-expression.ts";

describe("readPluralExpression", () => {
  it("means what C means", () => {
    const leaf = fc.oneof(fc.constant("n"), fc.nat(9).map(String));
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5, depthSize: "small" },
        leaf,
        tie("expression").map((inner) => `(${inner})`),
        fc.tuple(fc.constantFrom("!", "-"), tie("expression")).map(([sign, inner]) => `${sign}(${inner})`),
        fc
          .tuple(
            tie("expression"),
            fc.constantFrom("||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*"),
            tie("expression"),
          )
          .map(([left, operator, right]) => `${left} ${operator} ${right}`),
        // What is left of a division by 0 is nobody's to say: C leaves it open.
        fc.tuple(tie("expression"), fc.integer({ min: 1, max: 9 })).map(([left, right]) => `${left} % ${right}`),
        fc
          .tuple(tie("expression"), tie("expression"), tie("expression"))
          .map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
      ),
    }));
    fc.assert(
      fc.property(expression, fc.nat(120), (text, n) => {
        // JavaScript differs in && and ||, whose value is not always 0 or 1: compare those that have none.
        fc.pre(!/&&|\|\|/.test(text));
        const expected = Number(new Function("n", `return ${text};`)(n));
        expect(readPluralExpression(text)(n) + 0).toBe(expected + 0);
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
    ["1 + 2 * 3 == 7", 0, 1],
    ["10 - 2 - 3", 0, 5],
    ["!n", 0, 1],
    ["!!n", 5, 1],
    [" n\t%\n10 ", 13, 3],
  ])("%s for %d is %d", (text, n, value) => expect(readPluralExpression(text)(n)).toBe(value));

  it.each([
    ["", "expected n, a number or ( at the end"],
    ["n !=", "expected n, a number or ( at the end"],
    ["(n != 1", "expected ) at the end"],
    ["n ? 1", "expected : at the end"],
    ["n 1", 'expected an operator before "1"'],
    ["nplurals=2; plural=n", "expected an operator before"],
    ["n = 1", 'nothing that a plural expression can hold at " = 1"'],
    ["process.exit()", 'nothing that a plural expression can hold at "process.ex"'],
    ["n+".repeat(600), "too long for a plural expression"],
    ["(".repeat(999), "expected n, a number or ( at the end"],
  ])("refuses %j", (text, message) => {
    expect(() => readPluralExpression(text)).toThrow(SyntaxError);
    if (!text.startsWith("nplurals")) expect(() => readPluralExpression(text)).toThrow(message);
  });
});
