import { InvalidArgumentError } from "commander";

/** Takes an option that may be repeated, for commander: its values in their order. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** The members that were given: a flag that was left out is none, not one without a value. */
export function withoutUndefined<T extends object>(
  members: {
    readonly [Key in keyof T]: T[Key] | undefined;
  },
): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Reads a whole number from 1, for commander. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}

/** Reads a whole number within bounds, both included, for commander. */
export function number(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}
