import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TOTP_SECRET } from "../../src/config/schema.ts";
import { currentCode, isRightCode, wrongCode } from "../../src/guard/rules/totp.ts";

/** The secret of RFC 6238 appendix B for SHA-1, "12345678901234567890" in base32. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const seconds = (count: number) => count * 1000;

/** RFC 6238 appendix B: the time in seconds, and the code in eight digits. */
const vectors: [number, string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];

const times = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const secrets = fc.constantFrom(rfcSecret, DEFAULT_TOTP_SECRET, "JBSWY3DPEHPK3PXP");

describe("RFC 6238 appendix B", () => {
  test.each(vectors)("at %i s the code ends %s", (time, code) => {
    const lastSix = code.slice(-6);
    expect(currentCode(rfcSecret, seconds(time)).code).toBe(lastSix);
    expect(isRightCode(rfcSecret, lastSix, seconds(time))).toBe(true);
  });

  test("a code is six digits, including leading zeros", () => {
    expect(currentCode(rfcSecret, seconds(1_111_111_109)).code).toBe("081804");
    fc.assert(
      fc.property(secrets, times, (secret, now) => {
        expect(currentCode(secret, now).code).toMatch(/^\d{6}$/);
      }),
    );
  });
});

describe("the next code comes", () => {
  test.each([
    [0, 30],
    [999, 30],
    [1000, 29],
    [29_000, 1],
    [29_999, 1],
    [30_000, 30],
    [59_999, 1],
  ])("at %i ms in %i s", (now, secondsLeft) => {
    expect(currentCode(rfcSecret, now).secondsLeft).toBe(secondsLeft);
  });

  test("when it says so", () => {
    fc.assert(
      fc.property(secrets, times, (secret, now) => {
        const { code, secondsLeft } = currentCode(secret, now);
        const next = (Math.floor(now / 1000) + secondsLeft) * 1000;
        expect(currentCode(secret, next - 1)).toEqual({ code, secondsLeft: 1 });
        expect(currentCode(secret, next).secondsLeft).toBe(30);
      }),
    );
  });
});

describe("a code is right", () => {
  const now = seconds(1_234_567_890);
  const { code } = currentCode(rfcSecret, now);
  const stepStart = now - (now % seconds(30));

  test.each<[string, number, boolean]>([
    ["two steps early", stepStart - seconds(30) - 1, false],
    ["one step early, for a clock that is slow", stepStart - seconds(30), true],
    ["as its step begins", stepStart, true],
    ["as its step ends", stepStart + seconds(30) - 1, true],
    ["one step late, for a clock that is fast", stepStart + seconds(60) - 1, true],
    ["two steps late", stepStart + seconds(60), false],
  ])("%s", (_, at, right) => {
    expect(isRightCode(rfcSecret, code, at)).toBe(right);
  });

  test("for its own secret, and for no other", () => {
    expect(isRightCode(DEFAULT_TOTP_SECRET, code, now)).toBe(false);
  });

  test.each(["", "5924", "0", "0005924", `${code}0`, ` ${code}`, "abcdef", "-05924", "5924.0", "0x5924", `${code}\n`])(
    "not as %j",
    (entered) => {
      expect(isRightCode(rfcSecret, entered, now)).toBe(false);
    },
  );

  test.each(["0", " ", "\n"])("is wrong with %j before or after it", (more) => {
    expect([isRightCode(rfcSecret, code + more, now), isRightCode(rfcSecret, more + code, now)]).toEqual([
      false,
      false,
    ]);
  });

  test("R36: any other text is simply wrong", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: "grapheme", minLength: 6, maxLength: 6 }),
      fc.constantFrom("٠٠٥٩٢٤", "００５９２４", "00592é", "💥💥💥", "\ud800\ud800\ud800\ud800\ud800\ud800"),
    );
    fc.assert(
      fc.property(texts, (entered) => {
        fc.pre(entered !== code && !/^\d{6}$/.test(entered));
        expect(isRightCode(rfcSecret, entered, now)).toBe(false);
      }),
    );
  });
});

test("a wrong code has the form of a code, and is not a right one", () => {
  fc.assert(
    fc.property(secrets, times, (secret, now) => {
      const wrong = wrongCode(secret, now);
      expect(wrong).toMatch(/^\d{6}$/);
      expect(isRightCode(secret, wrong, now)).toBe(false);
    }),
  );
});

test("a wrong code is not 000000 if that is right", () => {
  const now = seconds(10_484_850);
  expect(currentCode(rfcSecret, now).code).toBe("000000");
  expect(wrongCode(rfcSecret, now)).toBe("111111");
});
