import { stripVTControlCharacters } from "node:util";
import { Chalk } from "chalk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitLines } from "../../src/output/fit-lines.ts";
import { columnsOf } from "../../src/output/layout.ts";

const chalk = new Chalk({ level: 1 });

describe("a line that is wider than the terminal", () => {
  test("is folded between words, and the rest is indented", () => {
    expect(fitLines(["  ✓ password   passed without a word"], 24)).toEqual([
      "  ✓ password   passed",
      "    without a word",
    ]);
  });

  test("keeps an address whole, and leaves others unchanged", () => {
    const lines = ["short", "", "see http://127.0.0.1:3000/a/long/path there"];
    expect(fitLines(lines, 20)).toEqual(["short", "", "see", "  http://127.0.0.1:3000/a/long/path", "  there"]);
    expect(fitLines(lines, Number.POSITIVE_INFINITY)).toEqual(lines);
  });

  test("keeps an address whole as a value, without a blank line above it", () => {
    const url = "http://127.0.0.1:3000/a/path";
    expect(fitLines([`    ${url}, too`, `run x --uri=${url}`], 20)).toEqual([
      `    ${url},`,
      "      too",
      "run x",
      `  --uri=${url}`,
    ]);
  });

  test("has its colours on each line, and closes them", () => {
    const line = `${chalk.red(`one two ${chalk.bold("three four")} five six`)} seven eight`;
    const lines = fitLines([line], 12);
    expect(lines.map((each) => stripVTControlCharacters(each))).toEqual([
      "one two",
      "  three four",
      "  five six",
      "  seven",
      "  eight",
    ]);
    expect(lines.map((each) => each.includes("\u001b[31m"))).toEqual([true, true, true, false, false]);
    expect(lines.map((each) => each.includes("\u001b[1m"))).toEqual([false, true, false, false, false]);
    expect(lines.filter((each) => each.includes("\u001b")).every((each) => each.endsWith("\u001b[0m"))).toBe(true);
  });
});

test("for any words and width, no line is wider, and no letter is lost", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "é", "漢", "👩‍👧", "-"), minLength: 1, maxLength: 30 });
  const line = fc.tuple(fc.nat(9), fc.array(word, { minLength: 1, maxLength: 9 }));
  fc.assert(
    fc.property(line, fc.integer({ min: 20, max: 200 }), fc.boolean(), ([indentation, words], width, isPainted) => {
      const text = " ".repeat(indentation) + (isPainted ? chalk.green(words.join(" ")) : words.join(" "));
      const lines = fitLines([text], width);
      expect(lines.filter((each) => columnsOf(each) > width)).toEqual([]);
      const letters = (all: string) => stripVTControlCharacters(all).replaceAll(/\s/g, "");
      expect(letters(lines.join(""))).toBe(letters(text));
    }),
  );
});
