import { Chalk } from "chalk";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { columnsOf, fold, pad, table, truncate } from "../../src/output/layout.ts";

const family = "👩‍👩‍👧‍👦";
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc
    .array(fc.constantFrom("word", "文件", family, "e\u0301", "क्षि", " ", ","), { maxLength: 30 })
    .map((parts) => parts.join("")),
);

describe("fold", () => {
  it.each<[string, string, number, string[]]>([
    ["between words", "one two three", 8, ["one two", "three"]],
    ["with its lines indented", "one two three four", 10, ["one two", "  three", "  four"]],
    ["wide characters by their columns", "文件文件文件", 8, ["文件文件", "文件"]],
    ["within a long word", "abcdefghijkl", 8, ["abcdefgh", "ijkl"]],
    ["JSON between its members", '{"userId":104,"code":"abc"}', 16, ['{"userId":104,', '"code":"abc"}']],
    ["within a member that is too long", 'a,"bcdefghijkl",m', 8, ['a,"bcdef', 'ghijkl",', "m"]],
    [
      "JSON before a member that is too long with its object",
      '{"of":{"id":2000,"x":1}}',
      13,
      ['{"of":{', '"id":2000,', '"x":1}}'],
    ],
    [
      "a path between its folders",
      "in node_modules/app/fixtures/a.json",
      16,
      ["in", "node_modules/", "app/fixtures/", "a.json"],
    ],
    ["a setting between its parts", "guards[0].patterns.fileName", 12, ["guards[0].", "patterns.", "fileName"]],
    ["never within an address", "see http://localhost:8080/a/b now", 12, ["see", "http://localhost:8080/a/b", "now"]],
    ["never within a JWT", "token eyJhbGci.eyJhdWQi.C2oEq-jHt7", 12, ["token", "eyJhbGci.eyJhdWQi.C2oEq-jHt7"]],
    ["not at all where there is no terminal", "one two", Number.POSITIVE_INFINITY, ["one two"]],
    ["an empty text", "", 20, [""]],
  ])("folds %s", (what, text, width, lines) => {
    expect(fold(text, width, what.includes("indented") ? 2 : 0)).toEqual(lines);
  });

  it("paints each line by itself", () => {
    const { red } = new Chalk({ level: 1 });
    const pieces = [{ text: "one " }, { text: "two three", paint: red }];
    expect(fold(pieces, 8)).toEqual([`one ${red("two")}`, red("three")]);
  });

  it("keeps within its width, and loses nothing but spaces at the ends of lines", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 40 }), (text, width) => {
        const lines = fold(text, width);
        expect(lines.filter((line) => stringWidth(line) > width)).toEqual([]);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.trimEnd().replaceAll(" ", ""));
      }),
    );
  });
});

describe("truncate", () => {
  it.each<[string, number, "end" | "middle" | "start", string]>([
    ["abcdef", 6, "end", "abcdef"],
    ["abcdef", 5, "end", "abcd…"],
    ["abcdef", 5, "middle", "ab…ef"],
    ["abcdef", 5, "start", "…cdef"],
    ["文件文件", 6, "end", "文件…"],
    [`${family}${family}`, 3, "end", `${family}…`],
  ])("%s in %d columns", (text, columns, from, expected) => {
    expect(truncate(text, columns, from)).toBe(expected);
  });

  it("keeps within its columns", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom("end", "middle", "start"),
        (text, columns, from) => {
          expect(columnsOf(truncate(text, columns, from))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

it("counts columns as string-width does", () => {
  const signs = fc.string({ unit: fc.constantFrom(..."az ~…→←↑↓▶✗✓·–’‹›│─█░●○≠−", "文", "\u0301", "\u001b[1m") });
  fc.assert(
    fc.property(fc.oneof(signs, anyText), (text) => {
      expect(columnsOf(text)).toBe(stringWidth(text));
    }),
  );
});

it("pads by columns", () => {
  expect([pad("文", 4), pad("文", 4, "left"), pad("abc", 2)]).toEqual(["文  ", "  文", "abc"]);
});

describe("table", () => {
  it("has columns as wide as their widest cell", () => {
    const rows = [
      ["a", "bb", "c"],
      ["文件", "b", ""],
    ];
    expect(table(rows)).toEqual(["a     bb  c", "文件  b"]);
  });

  it("aligns numbers to the right", () => {
    const rows = [
      ["ms", "min", "max"],
      ["latency", "1", "1,000"],
    ];
    expect(table(rows, { hasNumbers: true })).toEqual(["ms       min    max", "latency    1  1,000"]);
  });

  it("truncates the last cell at the width", () => {
    expect(table([["id", "x".repeat(40)]], { width: 26 })).toEqual([`id  ${"x".repeat(21)}…`]);
  });
});
