import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { derivedFrom, isHashOfCount } from "../../src/checking/derived-values.ts";
import {
  changedCharacters,
  computableKindOf,
  isHashOfTime,
  isTimeAsNumber,
  isTimeInHex,
  plainGeneratorOf,
  repeatedPart,
  secondsBeside,
  someWrittenTogether,
  timesOf,
  timeUuidOf,
  varyingBits,
} from "../../src/checking/randomness.ts";

const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");

/** An answer that took from 05.000 to 05.010. */
const answer = { startedAt: "2026-01-02T03:04:05.000Z", timings: { headersMs: 9, totalMs: 10 } };
const START = Date.parse(answer.startedAt);

test.each<[string, readonly string[], string | null]>([
  ["fractions", ["0.8444218515250481", "0.75795440294030"], "printed fractions, such as those of a plain random()"],
  ["fractions in base 36", ["h9ywd7ub5j", "h9ywd7ub5jk"], "printed fractions, such as those of a plain random()"],
  [
    "fractions without their zero",
    [".8444218515", ".757954402940"],
    "printed fractions, such as those of a plain random()",
  ],
  ["texts of one length", ["h9ywd7ub5j", "k2ywd7ub5a"], null],
  ["long texts", ["h9ywd7ub5jh9ywd7ub5j", "k2ywd7ub5ak2ywd7ub5ab"], null],
  ["texts with capitals", ["h9Ywd", "k2ywd7"], null],
  ["numbers of 64 bits in hex", ["1f0c9be5a7d2463", "9a7d1c3e5b2f8046", "c3b1f6a90d27e4"], null],
  ["fractions in hex", ["d8247e4c3a6f8", "8b1f6a90d27e4c"], "printed fractions, such as those of a plain random()"],
  [
    "fractions in decimal, of which only the digits are there",
    ["8444218515250481", "75795440294030"],
    "printed fractions, such as those of a plain random()",
  ],
  ["texts of which one has another point", ["1.8444", "0.75795"], null],
  ["uniqid()", ["695735255f3a11.12345678", "695735255f3a99.87654321"], "the time and nine digits, like PHP's uniqid()"],
  ["uniqid() after a word", ["c_695735255f3a11.12345678"], "the time and nine digits, like PHP's uniqid()"],
  ["of which one is no uniqid()", ["695735255f3a11.12345678", "695735255f3a99.8765432x"], null],
  ["fewer digits before the point", ["55f3a11.12345678"], null],
  ["a longer number", ["695735255f3a11.123456789"], null],
])("the generator of %s", (_, texts, expected) => {
  expect(plainGeneratorOf(texts)).toBe(expected);
});

const [first, second] = ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7c920-9dad-11d1-92aa-00c04fd430c8"];

test.each<[string, readonly string[], string | null]>([
  ["version 1", [first, second], "1"],
  ["version 1 in capitals, without dashes", [first, second].map((text) => text.toUpperCase().replaceAll("-", "")), "1"],
  ["version 1 after a word", [`state:${first}`, `state:${second}`], "1"],
  ["version 1, of two computers", [first, second, "6ba7d000-9dad-11d1-92aa-010203040506"], "1"],
  ["version 6", ["1d19dad6-ba7b-6810-80b4-00c04fd430c8", "1d19dad6-ba7c-6920-80b4-00c04fd430c8"], "6"],
  [
    "version 6 with a random computer in each",
    ["1d19dad6-ba7b-6810-80b4-3c04fd430c81", "1d19dad6-ba7c-6920-8ab4-97c1a29bd3ef"],
    null,
  ],
  ["version 6 among more digits of a hash", Array(4).fill("1d19dad6ba7b681080b400c04fd430c8".padStart(64, "e")), null],
  ["version 6 before more digits of a hash", Array(4).fill("1d19dad6ba7b681080b400c04fd430c8".padEnd(64, "5")), null],
  ["version 1 with something random beside it", [`${first}.Xq9f2LmZ`, `${second}.p0DkW3vB`], null],
  ["version 4", ["5bd8b8a0-4b6e-4c6f-9d1a-00c04fd430c8", "0a1f4e52-7f39-4c0d-8b53-00c04fd430c8"], null],
  ["version 7", ["017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b1-7aa3-88c4-dc0c0c07398f"], null],
  ["another variant", [first, second].map((text) => text.replace(/-[89](?=\w{3}-00c)/, "-c")), null],
  ["of which one is none", [first, "unguessable"], null],
  ["none", [], null],
])("the time in UUIDs of %s", (_, texts, expected) => {
  const named = expected === null ? null : `a UUID of version ${expected}: the time, and a number that stays the same`;
  expect(timeUuidOf(texts)).toBe(named);
});

// What `new Random(42)` printed in Java 17.
test.each<[what: string, texts: readonly string[]]>([
  ["nextLong() in hex", ["ba419d350dfe8af7", "aee7bbe10c45c028", "4f083ce3f12bbb4b"]],
  ["nextLong() in decimal", ["5111195811822994797", "-6169532649852302182", "-1782466964123969572"]],
  ["nextBytes() in base64url", ["mY5oXohcs2H4bJdGIL6_sBEA", "VFcYww9AbMjjoYj_8RBZ62-8", "Vd-9b4O4lnDW2fm_Utg97twL"]],
  ["nextBytes() in base64", ["mY5oXohcs2H4bJdGIL6/sBEA", "VFcYww9AbMjjoYj/8RBZ62+8"]],
  ["nextBytes() in hex", ["05835ccc16ad682d8c478a26f4502798", "49599b56dd53b3351a572b40f27f72d3"]],
])("%s of Java's plain generator is known, and not if one text is something else", (_, texts) => {
  const named = "an output of java.util.Random, from which its next ones follow";
  expect(computableKindOf(texts)).toBe(named);
  expect(computableKindOf([...texts, "ba419d350dfe8af8"])).toBe(null);
});

test("bytes that no plain generator made are not taken for those of one", () => {
  const digest = (index: number) => createHash("sha256").update(`bytes ${index}`).digest();
  for (const [encoding, length] of [
    ["hex", 8],
    ["hex", 16],
    ["base64url", 16],
    ["base64url", 32],
  ] as const) {
    const texts = Array.from({ length: 3 }, (_, index) => digest(index).subarray(0, length).toString(encoding));
    expect(computableKindOf(texts)).toBe(null);
  }
});

test.each<[readonly string[], number]>([
  [["1", "2"], Math.log2(10)],
  [["x", "y"], Math.log2(26)],
  [["X", "Y"], Math.log2(26)],
  [["x", "Y"], Math.log2(52)],
  [["a", "b"], 4],
  [["A", "B"], 4],
  [["a-1", "1-a"], 12],
  [["_", "-"], 1],
  [["a1", "z2"], 2 * Math.log2(36)],
  [["aZ0_", "bY1-"], 24],
  [["code-1-end", "code-2-end"], Math.log2(10)],
  [["x1", "x12"], 0],
  [["12", "2"], 0],
  [["x11", "x22", "x12"], 2 * Math.log2(10)],
  [["xy", "xyzzy"], 0],
  [["same", "same"], 0],
])("of %j, so many bits vary: %d", (texts, bits) => {
  expect(varyingBits(texts)).toBeCloseTo(bits, 9);
});

describe("the times of an answer", () => {
  test("reach from two milliseconds before it to two after it, also in seconds", () => {
    const times = timesOf([answer], null);
    const milliseconds = Array.from({ length: 15 }, (_, index) => String(START - 2 + index));
    const seconds = [START / 1000 - 1, START / 1000].map(String);
    expect([...times].sort()).toEqual([...milliseconds, ...seconds].sort());
  });

  test("of a slow answer are only the first ones", () => {
    const slow = { ...answer, timings: { ...answer.timings, totalMs: 60_000 } };
    expect(timesOf([slow], null).filter((time) => time.length === 13)).toHaveLength(300);
  });

  test("stand before and after a text", () => {
    const times = timesOf([answer], "104");
    for (const mark of ["", " ", ":", "-", "_", "."])
      expect(times).toEqual(expect.arrayContaining([`104${mark}${START}`, `${START}${mark}104`]));
  });
});

test.each<[string, boolean]>([
  [`${START}`, true],
  [`${START - 2}`, true],
  [`${START - 3}`, false],
  [`${START + 12}`, true],
  [`${START + 13}`, false],
  [`${START}000`, true],
  [`${START}000000`, true],
  [`${START + 13}000`, false],
  [`${START}0000`, false],
  [START.toString(16), true],
  [START.toString(16).toUpperCase(), true],
  [START.toString(36), true],
  [(BigInt(START) * 1_000_000n).toString(36), true],
  [(START + 60_000).toString(36), false],
  [`s${START}`, true],
  [`sess${START}`, true],
  [`${START}-abcde`, true],
  [`${START}-abcdef`, false],
  [`${START}-abcdef-user`, false],
  [`User-${START}-abcde`, true],
  [`${START}-ab-user-cde`, true],
  [`${START}-ab-user-cdef`, false],
  ["abcde", false],
  ["user", false],
  ["", false],
  [`0000000000000${START}`, false],
  [`00000000000${START}`, true],
])("a time as a number: %s", (text, expected) => {
  expect(isTimeAsNumber(text, answer, ["uSer"])).toBe(expected);
});

/** What PHP's uniqid() gives at a time in microseconds. */
const uniqid = (microseconds: number) =>
  Math.floor(microseconds / 1_000_000).toString(16) + (microseconds % 1_000_000).toString(16).padStart(5, "0");

test.each<[string, boolean]>([
  [uniqid(START * 1000), true],
  [uniqid((START - 2) * 1000), true],
  [uniqid((START - 3) * 1000), false],
  [uniqid((START + 12) * 1000), true],
  [uniqid((START + 12) * 1000 + 1), false],
  [`x${uniqid(START * 1000)}`, false],
  [`${uniqid(START * 1000)}0`, false],
])("a time in hex digits: %s", (text, expected) => {
  expect(isTimeInHex(text, answer)).toBe(expected);
});

const at = START * 1000 + 1230;
const seconds = START / 1000;

test.each<[string, string, boolean]>([
  ["uniqid() in MD5", hex("md5", uniqid(at)), true],
  ["uniqid() in SHA-1", hex("sha1", uniqid(at)), true],
  ["uniqid() in SHA-256", hex("sha256", uniqid(at)), true],
  ["microtime()", hex("md5", `0.00123000 ${seconds}`), true],
  ["microtime(true)", hex("md5", `${seconds}.0012`), true],
  ["the first microsecond", hex("md5", uniqid((START - 2) * 1000)), true],
  ["one before that", hex("md5", uniqid((START - 2) * 1000 - 1)), false],
  ["the last microsecond", hex("md5", uniqid((START + 12) * 1000 - 1)), true],
  ["one after that", hex("md5", uniqid((START + 12) * 1000)), false],
  ["a hash in capitals", hex("md5", uniqid(at)).toUpperCase(), false],
  ["half a hash", hex("md5", uniqid(at)).slice(0, 30), false],
  ["something else", hex("md5", "something else"), false],
])("a hash of a time: %s", (_, text, expected) => {
  expect(isHashOfTime(text, answer)).toBe(expected);
});

test("a hash of a time is searched only in the first 30 milliseconds of a slow answer", () => {
  const slow = { ...answer, timings: { ...answer.timings, totalMs: 60_000 } };
  expect(isHashOfTime(hex("md5", uniqid((START + 28) * 1000 - 1)), slow)).toBe(true);
  expect(isHashOfTime(hex("md5", uniqid((START + 28) * 1000)), slow)).toBe(false);
});

const base64 = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("base64");

test.each<[string, string, boolean]>([
  ["a counter in MD5", hex("md5", "7"), true],
  ["the first one", hex("md5", "0"), true],
  ["the last one", hex("sha1", "999"), true],
  ["one more", hex("sha1", "1000"), false],
  ["in capitals", hex("md5", "7").toUpperCase(), true],
  ["in SHA-512", hex("sha512", "7"), true],
  ["in base64", base64("sha256", "7"), true],
  ["in base64 with + and /", base64("sha256", "0"), true],
  ["MD5 in base64", base64("md5", "7"), true],
  ["in base64url", createHash("sha256").update("7").digest("base64url"), true],
  ["the beginning of one", hex("sha256", "7").slice(0, 12), true],
  ["too little of one", hex("sha256", "7").slice(0, 11), false],
  ["a word before it", hex("sha256", "user-7"), true],
  ["a word after it", hex("sha256", "7:user"), true],
  ["another word", hex("sha256", "other-7"), false],
  ["more than one", `${hex("sha256", "7")}0`, false],
  ["more than the longest one", `${hex("sha512", "7")}0`, false],
  ["other characters", `${hex("sha256", "7").slice(0, 20)}!`, false],
  ["a word in front of it", `!${hex("sha256", "7")}`, false],
])("a hash of a counter: %s", (_, text, expected) => {
  expect(isHashOfCount(text, ["user"])).toBe(expected);
});

test.each<[string, boolean]>([
  ["User-104", true],
  ["401-resU", true],
  [Buffer.from("User-104").toString("hex"), true],
  [Buffer.from("User-104").toString("base64"), true],
  [hex("md5", "User-104"), true],
  [hex("sha1", "User-104").toUpperCase(), true],
  [hex("sha512", "User-104"), true],
  [base64("sha256", "User-104"), true],
  [`${hex("md5", "User-104")}12345`, true],
  [`12${hex("md5", "User-104")}345`, true],
  [`${hex("md5", "User-104")}123456`, false],
  ["User-1041", false],
  [hex("md5", "User-105"), false],
  [hex("md5", "User-104").slice(1), false],
])("what follows from User-104: %s, %s", (value, expected) => {
  expect(derivedFrom(["User-104"])(value)).toBe(expected);
});

test("a text of 20 characters is long enough to be recognized within another one, a shorter one is not", () => {
  expect(derivedFrom(["a".repeat(20)])(`${"a".repeat(20)}1`)).toBe(true);
  expect(derivedFrom(["a".repeat(19)])(`${"a".repeat(19)}1`)).toBe(false);
});

test.each<[readonly string[], number]>([
  [["abc", "abd"], 1],
  [["abc", "xbd", "abc"], 2],
  [["abc", "abc"], 0],
  [["abc", "abcde"], 5],
  [["abcde", "abc"], 5],
  [["abc"], 0],
])("%j differ in %d characters", (values, expected) => {
  expect(changedCharacters(values)).toBe(expected);
});

test.each([
  ["4711".repeat(11), "4711"],
  ["vvvv", "v"],
  ["abab", "ab"],
  ["ababa", "ababa"],
  ["abcabd", "abcabd"],
  ["", ""],
])("the part of which %j is a repetition is %j", (text, part) => {
  expect(repeatedPart(text)).toBe(part);
});

test("two or three of some texts are written next to each other in any order", () => {
  const written = someWrittenTogether(["104", "7", "jti", "terms"]);
  for (const expected of ["104/7/jti", "jti|terms", "terms-7-104", "7 jti", "terms_104_jti"])
    expect(written).toContain(expected);
  for (const other of ["104", "104:104", "104/7|jti", "104:7:jti:terms"]) expect(written).not.toContain(other);
  // Six pairs in two orders and four triples in six, each with nine marks.
  expect(written).toHaveLength((6 * 2 + 4 * 6) * 9);
});

test("the seconds of an answer are written next to two texts in any order", () => {
  const across = { startedAt: "2026-01-02T03:04:05.995Z", timings: { headersMs: 9, totalMs: 10 } };
  const [first, second] = [
    Math.floor(Date.parse(across.startedAt) / 1000),
    Math.floor(Date.parse(across.startedAt) / 1000) + 1,
  ];
  const written = secondsBeside(across, "104", "s7ate");
  for (const expected of [`${first}104s7ate`, `104:${second}:s7ate`, `s7ate-${second}-104`])
    expect(written).toContain(expected);
  expect(written).not.toContain(`${first - 1}104s7ate`);
  expect(written).not.toContain(`${second + 1}104s7ate`);
});

test.each([
  ["of version 5", "c3465fa8-f1bf-5fc3-9361-c88a987bb89d", true],
  ["of version 3, in capitals", "6D06DB52-2750-33AC-8818-95F02ADDA539", true],
  ["of version 3, without dashes", "6d06db52275033ac881895f02adda539", true],
  ["of version 3, with five characters added", "uuid-6d06db52-2750-33ac-8818-95f02adda539", true],
  ["of version 3, with six characters added", "uuid--6d06db52-2750-33ac-8818-95f02adda539", false],
  ["of version 4, with the digits of one of version 3", "6d06db52-2750-43ac-8818-95f02adda539", false],
  ["of version 5, in the namespace of object ids", "2d82cf35-1cd0-5669-aafa-b5c1c1fbdcb5", true],
  ["in a namespace of its own", "93261d4e-8fdf-5834-988c-8af00cd53d8a", false],
])("whether a UUID follows from a text: %s", (_, uuid, expected) => {
  expect(derivedFrom(["s7ate"])(uuid)).toBe(expected);
});
