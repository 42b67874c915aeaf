import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternProblem, programSpelling } from "../../src/protocol/pattern-syntax.ts";

describe("patternProblem", () => {
  it.each([
    "",
    "^[\\w.-]+\\.json$",
    "(?:a|b)*?c{2,3}?",
    "(?<name>a)\\k<name>",
    "(?<=a)b(?!c)",
    "\\\\A\\\\z",
    "[*+?+]",
    "[(?i)]",
    "\\(\\?i\\)",
    "\\++",
    "[:a]b:]",
    "\\x41\\u0041\\d\\b",
  ])("has no warning about %s", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
    expect(() => new RegExp(pattern)).not.toThrow();
  });

  it.each([
    ["(?i)xml", "(?i) is not JavaScript: write out what the flag means, such as [aA] for either case"],
    ["^(?im)xml", "(?im) is not JavaScript: write out what the flag means, such as [aA] for either case"],
    ["(?>a)b", "(?> is not JavaScript: write (?=(…))\\1 for an atomic group"],
    ["a++b", "++ is not JavaScript: leave out the last +, or write (?=(…))\\1"],
    ["a*+", "*+ is not JavaScript: leave out the last +, or write (?=(…))\\1"],
    ["a{2,3}+", "{2,3}+ is not JavaScript: leave out the last +, or write (?=(…))\\1"],
    ["a(?#why)b", "(?# is not JavaScript: leave the comment out"],
    ["(?P<year>\\d+)", "(?P< is not JavaScript: write (?<name>…) for a named group"],
    ["(?'year'\\d+)", "(?' is not JavaScript: write (?<name>…) for a named group"],
    ["(?P=year)", "(?P= is not JavaScript: write \\k<name> for what a named group matched"],
    ["(?|a|b)", "(?| is not JavaScript: write (?:…), and count every group"],
    ["(a)?(?(1)b|c)", "(?( is not JavaScript: write the cases of a condition as alternatives"],
    ["a(?R)?b", "(?R is not JavaScript: write out how deep it may go"],
    ["(a(?1)?b)", "(?1 is not JavaScript: write out how deep it may go"],
    ["(", "unterminated group: close it with ), or write \\( to match a parenthesis"],
    ["[(?i)", "unterminated character class: close it with ], or write \\[ to match a bracket"],
    ["a**", "nothing to repeat: write .* for any text, or \\ before the sign to match the sign itself"],
    ["a{2,1}", "numbers out of order in {} quantifier"],
    ["http://a/: (", "unterminated group: close it with ), or write \\( to match a parenthesis"],
  ])("JavaScript cannot read %s", (pattern, problem) => {
    expect(patternProblem(pattern)).toEqual({
      isReadable: false,
      isForeign: problem.includes("is not JavaScript"),
      problem,
    });
  });

  it.each([
    ["\\Astrings\\.xml", "\\A is not JavaScript: write ^ for the beginning"],
    ["strings\\.xml\\z", "\\z is not JavaScript: write $ for the end"],
    ["strings\\.xml\\Z", "\\Z is not JavaScript: write $ for the end"],
    ["\\Qa.b\\E", "\\Q is not JavaScript: write \\ before each character that stands for itself"],
    ["^\\p{L}+$", "\\p is not JavaScript: write the letters out, such as [A-Za-zÀ-ž]"],
    ["[\\h]", "\\h is not JavaScript: write [ \\t] for a space or tab"],
    ["a\\Rb", "\\R is not JavaScript: write [\\r\\n]+ for the end of a line"],
    ["a\\Kb", "\\K is not JavaScript: JavaScript has no equivalent"],
    ["\\e", "\\e is not JavaScript: write the character's number, such as \\x1b"],
    ["\\x{41}", "\\x{ is not JavaScript: write four digits, such as \\u0041"],
    ["^[[:alpha:]]+", "[:alpha:] is not JavaScript: write the characters out, such as [A-Za-z0-9]"],
  ])("JavaScript reads %s differently", (pattern, problem) => {
    expect(patternProblem(pattern)).toEqual({ isReadable: true, isForeign: true, problem });
  });

  it("S23: reports exactly the unreadable ones, and truncates the longest", () => {
    const parts = fc.constantFrom(
      "(?i)",
      "(",
      ")",
      "[",
      "]",
      "\\",
      "a",
      "+",
      "{2}",
      "^",
      "(?",
      "|",
      "[:",
      "\\A",
      "/: ",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (tokens) => {
        const pattern = tokens.join("");
        const isReadable = patternProblem(pattern)?.isReadable ?? true;
        if (isReadable) expect(() => new RegExp(pattern)).not.toThrow();
        else expect(() => new RegExp(pattern)).toThrow();
        expect(patternProblem(pattern)?.problem ?? "").not.toContain("\n");
      }),
    );
    for (const part of ["[", "(?", "(?a", "\\", "{2", "[:a", "/a", "a++"]) {
      expect(patternProblem(part.repeat(200_000))?.problem.length ?? 0, part).toBeLessThan(120);
    }
  });
});

describe("programSpelling", () => {
  it.each(["", "/", "//", "/strings/", "\\.json$", "^/locales/", "/^a|b", "\\$/", "C:\\\\dev\\\\.+"])(
    "has no warning about %s",
    (pattern) => {
      expect(programSpelling(pattern)).toBeNull();
    },
  );

  it.each(["/\\.json$/", "/^a/", "/a+/g"])("%s is between slashes", (pattern) => {
    expect(programSpelling(pattern)).toMatch(/^it is written between slashes, .*: write just [^/]+$/);
  });

  it.each(["/^.+\\.json$", "^.+\\.json$/"])("%s matches nothing", (pattern) => {
    expect(programSpelling(pattern)).toMatch(/^it matches nothing/);
    expect("/a.json/").not.toMatch(new RegExp(pattern));
  });

  it("S23: ignores one that is longer than what people write", () => {
    expect(programSpelling(`/^${"a".repeat(400)}$/`)?.length).toBeLessThan(200);
    expect(programSpelling(`/${"^$".repeat(1_000_000)}`)).toBeNull();
  });
});
