import { parseDuration, parseTime, usualDuration } from "../protocol/duration.ts";
import type { FlagDefinition } from "./define-action.ts";

/** Whether an option would set a language, in the words of other programs. */
export function isLanguageOption(option: string): boolean {
  return /^--(lang(uage)?|locale)(=|$)/.test(option);
}

/** The flag for a module that was given as an argument. */
export function moduleFlagFor(value: string): string {
  return /[/:]/.test(value) ? "--module KEY, the key of the module in the manifest, not its url" : `--module ${value}`;
}

/** The value of a flag is not allowed; the message says what is. */
export class InvalidFlagError extends Error {}

/** Reads a flag that may be repeated: its values in order. */
export function repeated(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

/** Reads a whole number from 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidFlagError("Expected a whole number from 1.");
  return Number(text);
}

/** Reads a whole number between two bounds, inclusive. */
export function wholeNumberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidFlagError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** Reads a duration, or a plain number of seconds, as milliseconds. */
export function milliseconds(text: string): number {
  return orInvalid(
    () => parseTime(text),
    text,
    "Expected a duration such as 30s, 500ms or 1m30s, or a number of seconds.",
  );
}

/**
 * Reads a duration as milliseconds, if a plain number could mean milliseconds as well as seconds.
 * @param expected what the error says is allowed
 */
export function millisecondsWithUnit(text: string, expected: string): number {
  return orInvalid(() => parseDuration(text), text, expected);
}

function orInvalid(read: () => number, text: string, expected: string): number {
  try {
    return read();
  } catch {
    const meant = usualDuration(text);
    throw new InvalidFlagError(meant === null ? expected : `${expected} Did you mean ${meant}?`);
  }
}

/** The members that have a value: a flag that was not given must not become an undefined member. */
export function withoutUndefined<T extends object>(
  members: {
    readonly [Key in keyof T]: T[Key] | undefined;
  },
): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Addresses of apps that are registered for the duration of one command. */
export const redirectUriFlag: FlagDefinition<readonly string[]> = {
  flag: "--redirect-uri <url>",
  help: "redirect URI of your app to register; may be repeated",
  read: repeated,
  setting: "redirectUri",
};
