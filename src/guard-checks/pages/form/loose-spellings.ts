import type { Verdict } from "../../../checking/check.ts";

/** Shorter ones are the digits of a PIN that has a field for each. */
const FEWEST_DIGITS = 3;

/** Ways to write a PIN that a comparison of texts refuses, and one of numbers accepts; null: not for this one. */
const ofSameNumber: Readonly<Record<string, (digits: string) => string | null>> = {
  "without its leading zeros": (digits) => (digits.startsWith("0") ? digits.replace(/^0+(?=.)/, "") : null),
  "with .0 after it": (digits) => `${digits}.0`,
};

/** Another way to write a PIN, and what differs. */
export interface LooseSpelling {
  readonly how: string;
  readonly text: string;
}

/**
 * Other ways to write a PIN of digits; empty: the value is none. Whoever sends one of them knows the PIN.
 * @param isNumber whether the page asks for a number: then the same number is the same PIN
 */
export function looseSpellings(value: string, isNumber = false): LooseSpelling[] {
  if (isNumber || !/^\d+$/.test(value) || value.length < FEWEST_DIGITS) return [];
  return Object.entries(ofSameNumber).flatMap(([how, spell]) => {
    const text = spell(value);
    return text === null ? [] : [{ how, text }];
  });
}

/** Whether this is what differs in a spelling. */
export function isLooseSpelling(how: string): boolean {
  return how in ofSameNumber;
}

/** The verdict on an app that accepts such a spelling. @param says what it did */
export function loosely(says: string, how: string): Verdict {
  return {
    result: "warn",
    reason: `the app ${says} to the right one ${how}`,
    hint: "Compare both as texts, without reading numbers from them: loose comparisons accept more than the right one.",
  };
}

/** What else stands for no password at all, such as in PHP's `empty`; empty: this is the right one. */
export function falsyWords(value: string): string[] {
  return /^0*$/.test(value) ? [] : ["0"];
}
