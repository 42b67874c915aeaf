import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSame, wordDiff } from "../../src/output/word-diff.ts";

/** What differs as `[-old-]{+new+}`, the rest as it is. */
function marked(before: string, after: string): string {
  return wordDiff(before, after)
    .map((part) => (isSame(part) ? part.before : `[${part.before}|${part.after}]`))
    .join("");
}

describe("wordDiff", () => {
  it.each([
    ["nothing", "Save", "Save", "Save"],
    ["a word", "Pay now", "Pay later", "Pay [now|later]"],
    ["words next to each other as one", "Pay it right now", "Pay it much later", "Pay it [right now|much later]"],
    ["a placeholder as one word", "Hello, {name} there", "Hello, {user} there", "Hello, [{name}|{user}] there"],
    ["a tag as one word", "This is <b>bold</b>", "This is <i>bold</i>", "This is [<b>|<i>]bold[</b>|</i>]"],
    ["white space", "Name: ", "Name:", "Name:[ |]"],
    ["Chinese words", "他們在這裡等待著", "他們在那裡等待著", "他們在[這裡|那裡]等待著"],
    ["Thai words", "สวัสดีครับ ยินดีต้อนรับ", "สวัสดีค่ะ ยินดีต้อนรับ", "สวัสดี[ครับ|ค่ะ] ยินดีต้อนรับ"],
    [
      "another text as a whole",
      "The first one of all",
      "Something else entirely",
      "[The first one of all|Something else entirely]",
    ],
  ])("finds %s", (_, before, after, expected) => {
    expect(marked(before, after)).toBe(expected);
  });

  it("keeps both texts complete, whatever they are", () => {
    const word = fc.constantFrom("a", "b ", "{x}", "<b>", " ", "\n", "中", "\ud800", "😀", "e\u0301");
    const text = fc.oneof(
      fc.array(word).map((words) => words.join("")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = wordDiff(before, after);
        expect(parts.map((part) => part.before).join("")).toBe(before);
        expect(parts.map((part) => part.after).join("")).toBe(after);
      }),
    );
  });

  it("keeps two long texts complete", () => {
    fc.assert(
      fc.property(fc.nat(8000), fc.nat(8000), fc.constantFrom("", "x", "😀", " new words "), (start, end, text) => {
        const before = "some words 😀 of a long text ".repeat(300);
        const after = before.slice(0, start) + text + before.slice(end);
        const parts = wordDiff(before, after);
        expect(parts.map((part) => part.before).join("")).toBe(before);
        expect(parts.map((part) => part.after).join("")).toBe(after);
      }),
    );
  });

  it("finds two words in texts of 4 MB, and gives up on two texts that share nothing", () => {
    const text = "Lorem ipsum dolor sit amet. ".repeat(150_000);
    const parts = wordDiff(text, text.replace("Lorem", "First").replace(/amet\. $/, "last. "));
    expect(parts.filter((part) => !isSame(part))).toEqual([
      { before: "Lorem", after: "First" },
      { before: "amet.", after: "last." },
    ]);
    const other = Array.from({ length: 500_000 }, (_, index) => `w${index}`).join(" ");
    expect(wordDiff(text, other)).toEqual([{ before: text, after: other }]);
  });
});
