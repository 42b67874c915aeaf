import { changedCharacters } from "./randomness.ts";

/** Ends a text in a query, and makes its condition true for every row. */
export const ANY_ROW = "' OR 'a'='a";

/** Ways to alter an issued key so that a correct app does not know it. */
export const alterations: Readonly<Record<string, (value: string) => string>> = {
  "cut in half": firstHalf,
  "with another ending": withOtherEnd,
  empty: () => "",
};

/** Whether a text may be a key: it is long, and has digits. Other words may be the same for everybody. */
export function isKeyLike(text: string): boolean {
  return /^[\w.~+/=-]{12,}$/.test(text) && /\d/.test(text);
}

/** Whether a text is a number as long as today's time in seconds or milliseconds. */
export function isTimeNumber(text: string): boolean {
  return /^\d{10}$|^\d{13}$/.test(text);
}

const MORE_BYTES = 4;

/** A digest with some bytes after it. */
export function withMoreBytes(digest: Buffer): Buffer {
  return Buffer.concat([digest, digest.subarray(0, MORE_BYTES)]);
}

/** The first half of a value, including the middle character. */
export function firstHalf(value: string): string {
  return value.slice(0, Math.ceil(value.length / 2));
}

/** An ending that differs less from key to key may be a time, or irrelevant. */
const LEAST_RANDOM_CHARACTERS = 6;

/** The alterations of such keys that a correct app refuses, depending on whether the keys are random to the end. */
export function tellingAlterations(keys: readonly string[]): string[] {
  const isRandomToItsEnd = changedCharacters(keys.map(lastHalf)) >= LEAST_RANDOM_CHARACTERS;
  return Object.keys(alterations).filter((how) => how === "empty" || isRandomToItsEnd);
}

/** The second half of a value, without the middle character. */
export function lastHalf(value: string): string {
  return value.slice(Math.ceil(value.length / 2));
}

/** A value of which only the first half is right. */
export function withOtherEnd(value: string): string {
  const end = lastHalf(value);
  return end === "" ? otherThan(value) : firstHalf(value) + otherThan(end);
}

/** Another value of the same kind, and of the same length if it has a letter or digit of ASCII. */
export function otherThan(value: string): string {
  const other = value.replaceAll(/[\da-z]/gi, (letter) =>
    /[9z]/i.test(letter) ? (letter === "9" ? "0" : "a") : next(letter),
  );
  return other === value ? `${value}x` : other;
}

function next(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
