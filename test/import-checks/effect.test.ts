import { describe, expect, test } from "vitest";
import { effectDifference, type ImportEffect } from "../../src/import-checks/effect.ts";
import type { FieldChange } from "../../src/post-import/import-result.ts";

const effectOn = (...fields: readonly FieldChange[]): ImportEffect => ({
  changed: new Map(fields.length === 0 ? [] : [["a::1", fields]]),
  omitted: new Set(),
  returned: 1,
});

describe("how two answers about the same string differ", () => {
  const long = "word ".repeat(100);

  test.each<[string, FieldChange[], FieldChange[], string | null]>([
    [
      "a text that only one of them changed",
      [{ field: "text", before: " Hello", after: "Hello" }],
      [],
      'text of the string a::1 is " Hello" instead of "Hello"',
    ],
    [
      "a field that only the second lost",
      [],
      [{ field: "context", before: "title", after: "" }],
      'context of the string a::1 is "" instead of "title"',
    ],
    [
      "a long text at its end",
      [{ field: "text", before: "", after: `${long}one` }],
      [{ field: "text", before: "", after: `${long}two` }],
      'text of the string a::1 is …word word word word two" instead of …word word word word one"',
    ],
    [
      "labels in another order, and a text",
      [
        { field: "labels", before: [], after: ["a", "b"] },
        { field: "text", before: "x", after: "y" },
      ],
      [{ field: "labels", before: [], after: ["b", "a"] }],
      'text of the string a::1 is "x" instead of "y"',
    ],
    [
      "labels in another order alone",
      [{ field: "labels", before: [], after: ["a", "b"] }],
      [{ field: "labels", before: [], after: ["b", "a"] }],
      null,
    ],
  ])("%s", (_, one, other, says) => {
    expect(effectDifference(effectOn(...one), effectOn(...other))).toBe(says);
  });

  test("a string that is in only one of two answers", () => {
    const omitted = { ...effectOn(), omitted: new Set(["a::1"]), returned: 0 };
    expect(effectDifference(effectOn(), omitted)).toBe("the string a::1 is in only one of the two answers");
  });
});
