import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exchangeRows } from "../../../src/guard/walk/walk-exchange.ts";
import { cut, ends, row, span, wrapText } from "../../../src/guard/walk/walk-text.ts";

const textOf = ({ spans }: ReturnType<typeof row>) => spans.map(({ text }) => text).join("");

describe("cut", () => {
  test.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["a👩‍💻b", 3, "a…"],
    ["abc", 1, "…"],
  ])("%s in %s columns: %s", (text, cols, expected) => {
    expect(textOf(cut(row(text), cols))).toBe(expected);
  });

  test("keeps how the pieces are drawn", () => {
    const whole = row(span("abc", "good"), span("def", "bad"));
    expect(cut(whole, 5).spans).toEqual([span("abc", "good"), span("d", "bad"), span("…", "quiet")]);
  });
});

test("ends: the right one gives way", () => {
  expect(textOf(ends(row("left"), row("right"), 12))).toBe("left   right");
  expect(textOf(ends(row("left"), row("right"), 10))).toBe("left");
  expect(textOf(ends(row("left"), row("right"), 3))).toBe("le…");
});

describe("wrapText", () => {
  test.each([
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 20, ["one two three"]],
    ["a verylongword b", 6, ["a", "verylo", "ngword", "b"]],
    ["http://127.0.0.1/x", 10, ["http://127", ".0.0.1/x"]],
    ["日本語日本語", 5, ["日本", "語日", "本語"]],
    ["", 5, [""]],
    ["a\nb", 5, ["a␊b"]],
  ])("%j in %s columns", (text, cols, lines) => {
    expect(wrapText(text, cols)).toEqual(lines);
  });

  test("loses nothing but spaces", () => {
    const withoutSpaces = (text: string) => text.replaceAll(" ", "");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 4, max: 40 }), (text, cols) => {
        const shown = withoutSpaces(wrapText(text, cols).join(""));
        expect(shown).toBe(withoutSpaces(wrapText(text, 1000).join("")));
      }),
    );
  });
});

describe("exchangeRows", () => {
  test("our own colours become tones, and nothing of their codes is left", () => {
    expect(exchangeRows(["\u001b[1m← 200\u001b[22m \u001b[32mfine\u001b[39m"], 80)).toEqual([
      { spans: [span(""), span("← 200", "strong"), span(" "), span("fine", "good"), span("")] },
    ]);
  });

  test("other codes are made harmless", () => {
    expect(exchangeRows(["a\u001b[2Jb\u001b]0;x\u0007"], 80).map(textOf)).toEqual(["a2Jb␛]0;x␇"]);
  });

  test("a long line goes on in the next row, in its colour", () => {
    expect(exchangeRows(["a\u001b[31mbcdefg"], 3)).toEqual([
      { spans: [span("a"), span("bc", "bad")] },
      { spans: [span("def", "bad")] },
      { spans: [span("g", "bad")] },
    ]);
  });

  test("an empty line is a row", () => {
    expect(exchangeRows(["", "a"], 10).map(textOf)).toEqual(["", "a"]);
  });
});
