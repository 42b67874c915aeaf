import { changedCharacters } from "./randomness.ts";

/** Ways to alter a key that was issued, so that a right app does not know it; by what is left of it. */
export const alterations: Readonly<Record<string, (value: string) => string>> = {
  "cut in half": firstHalf,
  "with another end": withOtherEnd,
  empty: () => "",
};

/** The first half of a value, with the letter in its middle. */
export function firstHalf(value: string): string {
  return value.slice(0, Math.ceil(value.length / 2));
}

/** An end that differs less from key to key may be a time, or what the key does not depend on. */
const LEAST_RANDOM_CHARACTERS = 6;

/** The ways of altering keys such as these of which a right app takes none: its keys are random to their ends, or not. */
export function tellingAlterations(keys: readonly string[]): string[] {
  const isRandomToItsEnd = changedCharacters(keys.map(secondHalf)) >= LEAST_RANDOM_CHARACTERS;
  return Object.keys(alterations).filter((how) => how === "empty" || isRandomToItsEnd);
}

function secondHalf(value: string): string {
  return value.slice(Math.ceil(value.length / 2));
}

/** A value that is right in its first half only. */
export function withOtherEnd(value: string): string {
  return firstHalf(value) + otherThan(secondHalf(value));
}

/** A value of the same length and kind. */
export function otherThan(value: string): string {
  return value.replaceAll(/[\da-z]/gi, (letter) =>
    /[9z]/i.test(letter) ? (letter === "9" ? "0" : "a") : next(letter),
  );
}

function next(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
