import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration, parseTime } from "../../src/protocol/duration.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

describe("parseTime", () => {
  it.each([
    ["30", 30_000],
    ["0.2", 200],
    ["1.3", 1300],
    ["1.3s", 1300],
    ["0", 0],
    ["30s", 30_000],
    ["1m30s", 90_000],
  ])("%s is %d ms", (text, milliseconds) => expect(parseTime(text)).toBe(milliseconds));

  it.each(["", "soon", "-1", "1e3", " 1", "1.", ".5", "1.3m", "9".repeat(400)])("refuses %j", (text) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ code: "duration-invalid" }));
  });
});

describe("parseDuration", () => {
  it.each([
    ["2h", 7_200_000],
    ["90s", 90_000],
    ["15m", 900_000],
    ["1d", 86_400_000],
    ["500ms", 500],
    ["1h30m", 5_400_000],
    ["1m1ms", 60_001],
    ["0s", 0],
    ["007s", 7000],
    ["9007199254740991ms", Number.MAX_SAFE_INTEGER],
  ])("%s is %d ms", (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each([
    "",
    "90",
    "h",
    "-2h",
    "+2h",
    "1.5h",
    "1,5h",
    "2 h",
    " 2h",
    "2h\n",
    "2H",
    "2hours",
    "30m1h",
    "1h1h",
    "1w",
    "1e3s",
    "٣s",
    "Infinity",
    "P1D",
    "9007199254740992ms",
    `${"9".repeat(400)}d`,
  ])("refuses %j and says what is allowed", (text) => {
    let thrown: unknown = null;
    try {
      parseDuration(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({
      code: "duration-invalid",
      message: expect.stringMatching(/^".{0,60} is not a duration$/),
      hint: expect.stringMatching(/units d, h, m, s and ms.*2h.*1h30m/),
    });
  });

  it("adds up all given parts, larger ones first", () => {
    const count = fc.option(fc.nat(10_000), { nil: null });
    fc.assert(
      fc.property(fc.tuple(count, count, count, count, count), (counts) => {
        fc.pre(counts.some((part) => part !== null));
        const text = ["d", "h", "m", "s", "ms"].map((unit, index) => {
          const part = counts[index] ?? null;
          return part === null ? "" : `${part}${unit}`;
        });
        const [d, h, m, s, ms] = counts.map(Number);
        const hours = Number(d) * 24 + Number(h);
        expect(parseDuration(text.join(""))).toBe(((hours * 60 + Number(m)) * 60 + Number(s)) * 1000 + Number(ms));
      }),
    );
  });
});
