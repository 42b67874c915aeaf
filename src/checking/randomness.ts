import { hash } from "node:crypto";
import type { Exchange } from "../journal/exchange.ts";
import { areOfJavaRandom } from "./java-random.ts";

/** Printed numbers between 0 and 1, complete or in base 36: a double has 53 random bits, none of them secret. */
const PRINTED_BITS = 60;

/** In base 16, a fraction of 53 bits has at most this many digits. */
const MOST_HEX_DIGITS = 14;

/** Whether the texts are numbers in base 16 of which one is longer than a fraction, such as 64 random bits. */
function areLongHexNumbers(texts: readonly string[]): boolean {
  const isHex = texts.every((text) => /^[\da-f]+$/.test(text)) && texts.some((text) => /[a-f]/.test(text));
  return isHex && texts.some(({ length }) => length > MOST_HEX_DIGITS);
}

/**
 * Whether the texts look like printed fractions, complete or in base 36. Texts made of random bytes all have the same
 * length; printed fractions lose trailing zeros.
 */
function arePrintedFractions(texts: readonly string[]): boolean {
  if (areLongHexNumbers(texts)) return false;
  const isOneLength = new Set(texts.map(({ length }) => length)).size === 1;
  return !isOneLength && varyingBits(texts) < PRINTED_BITS && texts.every((text) => /^(0?\.)?[\da-z]+$/.test(text));
}

/**
 * Whether the texts look like PHP's uniqid() with more entropy: the time in microseconds, and nine digits from a
 * generator that is not meant for secrets.
 */
function areTimesWithDigits(texts: readonly string[]): boolean {
  return texts.every((text) => /[\da-f]{13}\d\.\d{8}$/.test(text));
}

/** The insecure generator that seems to have made the texts, as a phrase; null: none that is known here. */
export function plainGeneratorOf(texts: readonly string[]): string | null {
  if (arePrintedFractions(texts)) return "printed fractions, such as those of a plain random()";
  return areTimesWithDigits(texts) ? "the time and nine digits, like PHP's uniqid()" : null;
}

/**
 * A UUID that says of itself that it is made from the time: its version and the id of the computer (RFC 9562, 5). Among
 * other hex digits it is a part of something longer, such as a hash.
 */
const timeUuid = /(?<![\da-f])[\da-f]{8}(-?)[\da-f]{4}\1([16])[\da-f]{3}\1[89ab][\da-f]{3}\1([\da-f]{12})(?![\da-f])/i;

/**
 * What each of these texts is, if it is a UUID made from time and computer; null: the texts differ in something else, too.
 * Random bits may replace the computer's id in each UUID: then it does not repeat.
 */
export function timeUuidOf(texts: readonly string[]): string | null {
  const found = texts.map((text) => timeUuid.exec(text));
  const [version] = new Set(found.map((parts) => parts?.[2]));
  const computers = new Set(found.map((parts) => parts?.[3]?.toLowerCase()));
  const besides = new Set(texts.map((text) => text.replace(timeUuid, "")));
  if (found.includes(null) || besides.size > 1 || computers.size === texts.length) return null;
  return `a UUID of version ${version}: the time, and a number that stays the same`;
}

/** What each of these texts is, as a phrase, if others can compute the next one; null: nothing of that kind is known. */
export function computableKindOf(texts: readonly string[]): string | null {
  const ofJava = "an output of java.util.Random, from which its next ones follow";
  return timeUuidOf(texts) ?? (areOfJavaRandom(texts) ? ofJava : null);
}

/** Bits of entropy that nobody can search through by asking a server. */
export const UNGUESSED_BITS = 48;

/** The entropy in bits of the part in which texts differ, without their common prefix and suffix. */
export function varyingBits(texts: readonly string[]): number {
  const start = commonLength(texts, (text, index) => text[index]);
  const rest = texts.map((text) => text.slice(start));
  const end = commonLength(rest, (text, index) => text[text.length - 1 - index]);
  const varying = rest.map((text) => text.slice(0, text.length - end));
  const alphabet = [/\d/, /[a-z]/, /[A-Z]/, /[^\da-zA-Z]/].map((kind) => varying.some((part) => kind.test(part)));
  const isHex = varying.every((part) => /^[\da-f-]*$/i.test(part));
  const [digits, small, large, other] = alphabet;
  const size =
    isHex && (small || large) ? 16 : (digits ? 10 : 0) + (small ? 26 : 0) + (large ? 26 : 0) + (other ? 2 : 0);
  return Math.min(...varying.map(({ length }) => length)) * Math.log2(Math.max(2, size));
}

function commonLength(texts: readonly string[], at: (text: string, index: number) => string | undefined): number {
  const [first = ""] = texts;
  const shortest = Math.min(...texts.map(({ length }) => length));
  let length = 0;
  while (length < shortest && texts.every((text) => at(text, length) === at(first, length))) length += 1;
  return length;
}

/** What stands between two parts of a text. */
const marks = ["", " ", ":", "-", "_", ".", "|", "/", ","];

/** Two texts next to each other, as apps usually write that. */
export function writtenTogether(one: string, other: string): string[] {
  return marks.flatMap((mark) => [`${one}${mark}${other}`, `${other}${mark}${one}`]);
}

/** Three texts next to each other in every order, with the same mark between them. */
function allWrittenTogether(one: string, two: string, three: string): string[] {
  const orders = [
    [one, two, three],
    [one, three, two],
    [two, one, three],
    [two, three, one],
    [three, one, two],
    [three, two, one],
  ];
  return marks.flatMap((mark) => orders.map((order) => order.join(mark)));
}

/** Two or three of these texts next to each other, as apps usually write that. */
export function someWrittenTogether(texts: readonly string[]): string[] {
  return texts.flatMap((one, index) => {
    const later = texts.slice(index + 1);
    return later.flatMap((two, next) => [
      ...writtenTogether(one, two),
      ...later.slice(next + 1).flatMap((three) => allWrittenTogether(one, two, three)),
    ]);
  });
}

/** How many milliseconds a clock may differ and still be recognized. */
const CLOCK_MS = 2;
/** A slower answer says too little about when a value was made. */
const MOST_TIMES = 300;

/**
 * Values that an app may have made from the time of an answer: its seconds and milliseconds, alone or next to a text.
 */
export function timesOf(
  exchanges: readonly Pick<Exchange, "startedAt" | "timings">[],
  beside: string | null,
): string[] {
  const times = exchanges.flatMap(({ startedAt, timings }) => {
    const first = Date.parse(startedAt) - CLOCK_MS;
    const count = Math.min(Math.ceil(timings.totalMs) + 2 * CLOCK_MS + 1, MOST_TIMES);
    const inMilliseconds = Array.from({ length: count }, (_, index) => first + index);
    return [...inMilliseconds, ...inMilliseconds.map((time) => Math.floor(time / 1000))];
  });
  return [...new Set(times)].flatMap((time) => [
    String(time),
    ...(beside === null ? [] : writtenTogether(beside, String(time))),
  ]);
}

/** The seconds of an answer next to two texts, in any order, as apps usually write that. */
export function secondsBeside(
  { startedAt, timings }: Pick<Exchange, "startedAt" | "timings">,
  one: string,
  other: string,
): string[] {
  const first = Math.floor((Date.parse(startedAt) - CLOCK_MS) / 1000);
  const last = Math.floor((Date.parse(startedAt) + Math.min(timings.totalMs, MOST_TIMES) + CLOCK_MS) / 1000);
  const seconds = Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  return seconds.flatMap((second) =>
    inAnyOrder([second, one, other]).flatMap((parts) => marks.map((mark) => parts.join(mark))),
  );
}

function inAnyOrder(parts: readonly string[]): string[][] {
  if (parts.length < 2) return [[...parts]];
  return parts.flatMap((part, index) => inAnyOrder(parts.toSpliced(index, 1)).map((rest) => [part, ...rest]));
}

/** How programs write a number, by the digits that they use. */
export const writtenNumbers: readonly [form: RegExp, radix: bigint][] = [
  [/^\d+$/, 10n],
  [/^[\da-f]+$/, 16n],
  [/^[\da-z]+$/, 36n],
];
/** The units in which programs count time, down to nanoseconds: how many of them a millisecond has. */
const inMillisecond = { milliseconds: 1n, microseconds: 1_000n, nanoseconds: 1_000_000n } as const;
/** Fewer additional characters than this can be guessed by trying. */
export const FEWEST_BESIDE = 6;
/** A time in nanoseconds has fewer digits than this; a time in milliseconds has at least that many, in base 36. */
const MOST_DIGITS = 24;
const FEWEST_DIGITS = 8;

/**
 * Whether a text is the time of an answer as a number, in milliseconds or smaller units and in a usual base, with these
 * words or only a few more characters next to it.
 */
export function isTimeAsNumber(
  text: string,
  { startedAt, timings }: Pick<Exchange, "startedAt" | "timings">,
  words: readonly string[],
): boolean {
  const first = BigInt(Math.floor(Date.parse(startedAt) - CLOCK_MS));
  const last = BigInt(Math.ceil(Date.parse(startedAt) + timings.totalMs + CLOCK_MS));
  const isInside = (count: bigint) =>
    Object.values(inMillisecond).some((units) => count >= first * units && count <= last * units);
  // Letters may stand directly before the digits of a time: s1764201600000.
  const parts = text.toLowerCase().match(/[a-z]+(?=\d{12})|[\da-z]+/g) ?? [];
  const times = parts.filter(
    (part) =>
      part.length >= FEWEST_DIGITS &&
      part.length <= MOST_DIGITS &&
      writtenNumbers.some(([form, radix]) => form.test(part) && isInside(numberOf(part, radix))),
  );
  const known = words.map((word) => word.toLowerCase());
  const besides = parts.filter((part) => !times.includes(part) && !known.includes(part));
  return times.length > 0 && besides.join("").length < FEWEST_BESIDE;
}

function numberOf(text: string, radix: bigint): bigint {
  return [...text].reduce((number, digit) => number * radix + BigInt(Number.parseInt(digit, 36)), 0n);
}

/** Whether a text is the time of an answer in microseconds as hex digits, like PHP's uniqid(). */
export function isTimeInHex(text: string, { startedAt, timings }: Pick<Exchange, "startedAt" | "timings">): boolean {
  const [, seconds = "", microseconds = ""] = /^([\da-f]{8})([\da-f]{5})$/.exec(text) ?? [];
  const time = Number.parseInt(seconds, 16) * 1000 + Number.parseInt(microseconds, 16) / 1000;
  const first = Date.parse(startedAt);
  return time >= first - CLOCK_MS && time <= first + timings.totalMs + CLOCK_MS;
}

/** Microseconds of an answer that are tried for hashes; a slower answer says too little about when a value was made. */
const MOST_MICROSECONDS = 30_000;

const hashesByLength: Readonly<Record<number, string>> = { 32: "md5", 40: "sha1", 64: "sha256" };

/**
 * Whether a text is a hex hash of the time of an answer in microseconds, as written by PHP, or next to a word.
 * @param word default none
 */
export function isHashOfTime(
  text: string,
  { startedAt, timings }: Pick<Exchange, "startedAt" | "timings">,
  word: string | null = null,
): boolean {
  const algorithm = /^[\da-f]+$/.test(text) ? hashesByLength[text.length] : undefined;
  if (algorithm === undefined) return false;
  const first = (Date.parse(startedAt) - CLOCK_MS) * 1000;
  const count = Math.min(Math.ceil((timings.totalMs + 2 * CLOCK_MS) * 1000), MOST_MICROSECONDS);
  for (let time = first; time < first + count; time += 1) {
    const written = word === null ? writtenInPhp(time) : writtenTogether(word, String(time));
    if (written.some((each) => hash(algorithm, each) === text)) return true;
  }
  return false;
}

/** By uniqid() and microtime(), and by microtime(true), which has four decimals. */
function writtenInPhp(microseconds: number): string[] {
  const seconds = Math.floor(microseconds / 1_000_000);
  const rest = microseconds % 1_000_000;
  return [
    seconds.toString(16) + rest.toString(16).padStart(5, "0"),
    `0.${String(rest).padStart(6, "0")}00 ${seconds}`,
    ...(rest % 100 === 0 ? [String(microseconds / 1_000_000)] : []),
  ];
}

/** The part of which a text is a repetition; the text itself if it repeats nothing. */
export function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length);
    if (text.length % length === 0 && part.repeat(text.length / length) === text) return part;
  }
  return text;
}

/** In how many positions texts differ; texts of different lengths differ in all. */
export function changedCharacters(values: readonly string[]): number {
  const [first = "", ...others] = values;
  if (others.some((value) => value.length !== first.length)) return Math.max(...values.map(({ length }) => length));
  return [...first].filter((letter, index) => others.some((value) => value[index] !== letter)).length;
}
