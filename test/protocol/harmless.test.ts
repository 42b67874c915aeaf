import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clip, harmless, harmlessLine } from "../../src/protocol/harmless.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 });
const hostileText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xa0 }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0x2000, max: 0x206f }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0xe0000, max: 0xe007f }).map((point) => String.fromCodePoint(point)),
      fc.constantFrom("\u061c", "\ufeff", "\ufff9", "<U+202E>", "␛", "a", "ж", "👩‍👩‍👧"),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

/** Written as numbers, unlike the code under test, so that one wrong class cannot hide another. */
function isHarmful(point: number): boolean {
  const ranges = [
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0x61c, 0x61c],
    [0x200b, 0x200b],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0xe0000, 0xe007f],
  ] as const;
  return ranges.some(([first, last]) => first <= point && point <= last);
}

const harmfulIn = (text: string): number[] => Array.from(text, (c) => c.codePointAt(0) ?? 0).filter(isHarmful);

describe("S15: harmless", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["\u001b]52;c;aGk=\u0007", "␛]52;c;aGk=␇"],
    ["a\rb\bc\td\u0000", "a␍b␈c␉d␀"],
    ["\u007f\u009b2J\u0085", "␡<U+009B>2J<U+0085>"],
    [
      "\u202egpj.exe\u202c \u2066x\u2069 \u200e\u200f\u061c",
      "<U+202E>gpj.exe<U+202C> <U+2066>x<U+2069> <U+200E><U+200F><U+061C>",
    ],
    ["a\u200bb\u2028c\u2029d\ufeffe", "a<U+200B>b<U+2028>c<U+2029>d<U+FEFF>e"],
    ["\u{e0041}\ud800x\udc00", "<U+E0041><U+D800>x<U+DC00>"],
    ["one\ntwo", "one\ntwo"],
  ])("%j becomes %s", (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  test.each([
    "Grüße, Ørjan",
    "e\u0301",
    "مرحبا",
    "می\u200cخواهم",
    "नमस्ते",
    "ภาษาไทย",
    "日本語",
    "👩‍👩‍👧 ❤️ 🇩🇪",
    "a\u00a0b",
  ])("%s stays", (text) => {
    expect(harmlessLine(text)).toBe(text);
  });

  test("leaves nothing harmful except line feeds, is idempotent, and changes nothing else", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostileText), (text) => {
        const shown = harmless(text);
        expect(harmfulIn(shown.replaceAll("\n", ""))).toEqual([]);
        expect(harmless(shown)).toBe(shown);
        if (harmfulIn(text.replaceAll("\n", "")).length === 0) expect(shown).toBe(text);
      }),
    );
  });

  test("harmlessLine differs only in line feeds", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(harmfulIn(harmlessLine(text))).toEqual([]);
        expect(harmlessLine(text)).toBe(harmless(text).replaceAll("\n", "␊"));
      }),
    );
  });
});

describe("clip", () => {
  test.each([
    ["four", 4, "four"],
    ["fives", 4, "fiv…"],
    ["abc", 1, "…"],
    ["👍👍👍", 3, "👍👍👍"],
    ["👍👍👍👍", 3, "👍👍…"],
    ["ab👩‍👩‍👧cd", 6, "ab…"],
    ["ae\u0301bc", 3, "a…"],
    [`e${"\u0301".repeat(500)}`, 10, "…"],
  ])("%s to %d is %s", (text, max, expected) => {
    expect(clip(text, max)).toBe(expected);
  });

  test("never exceeds the limit, and what it keeps is the beginning", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 12 }), (text, max) => {
        const clipped = clip(text, max);
        expect([...clipped].length).toBeLessThanOrEqual(max);
        expect(clipped === text || text.startsWith(clipped.slice(0, -1))).toBe(true);
        if ([...text].length <= max) expect(clipped).toBe(text);
      }),
    );
  });
});
