import leven, { closestMatch } from "leven";
import { isJsonObject } from "./json-object.ts";

/** ` Did you mean "x"?` with the name that `wrong` was most likely meant to be, or "" if none is close. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const name = nearestName(wrong, names);
  return name === null ? "" : ` Did you mean "${name}"?`;
}

/** The name that `wrong` was most likely meant to be; null if none is close. */
export function nearestName(wrong: string, names: Iterable<string>): string | null {
  const byLowerCase = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const lower = wrong.toLowerCase();
  const known = [...byLowerCase.keys()];
  const near = (maxDistance: number) => closestMatch(lower, known, { maxDistance });
  // A name that shares no letter is not close.
  const match =
    near(Math.min(2, wrong.length - 1)) ??
    onlyOneBegun(lower, known) ??
    near(Math.min(3, Math.floor(wrong.length / 3))) ??
    shortestBegun(lower, known) ??
    near(Math.floor(wrong.length / 3));
  return (match === undefined ? onlyOneInWords(wrong, [...byLowerCase.values()]) : byLowerCase.get(match)) ?? null;
}

/** Shorter words begin names of different kinds. */
const SHORTEST_BEGINNING = 8;
/** Shorter words, such as id, end too many names. */
const SHORTEST_END = 5;

/**
 * The only name of which `wrong` is a whole word or the first word, or the reverse: `ipAddress` for ip, or `ip` for it;
 * otherwise the only one that ends with it, `interactionTimeout` for timeout.
 */
function onlyOneInWords(wrong: string, names: readonly string[]): string | undefined {
  const [words, whole] = [wordsOf(wrong), wrong.toLowerCase()];
  const only = (found: readonly string[]) => (found.length === 1 ? found[0] : undefined);
  const meant = names.filter((name) => words.includes(name.toLowerCase()) || wordsOf(name)[0] === whole);
  if (meant.length > 0) return only(meant);
  return wrong.length < SHORTEST_END ? undefined : only(names.filter((name) => wordsOf(name).at(-1) === whole));
}

function wordsOf(name: string): string[] {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|[_.-]/).map((word) => word.toLowerCase());
}

/**
 * The only name that begins with the word, with at most its last letter different: `alg` for algorithm, `deny` for
 * denied.
 */
function onlyOneBegun(wrong: string, names: readonly string[]): string | undefined {
  const stem = wrong.slice(0, -1);
  const begun = stem.length < 3 ? [] : names.filter((name) => name.startsWith(stem));
  return begun.length === 1 ? begun[0] : undefined;
}

/** The shortest name that begins with the whole word, if it is long enough to mean one. */
function shortestBegun(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length < SHORTEST_BEGINNING) return undefined;
  const begun = names.filter((name) => name.startsWith(wrong));
  return begun.toSorted((one, other) => one.length - other.length)[0];
}

/**
 * Whether one name is a misspelling of another: case or hyphens, a plural, one letter, swapped letters, or two missing
 * letters, as in an abbreviation. Two different letters make a different name: file-post-export is not a misspelling of
 * file-post-import.
 */
export function isSlipOf(wrong: string, name: string): boolean {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const sorted = (text: string) => [...bare(text)].sort().join("");
  const isNear = leven(bare(wrong), bare(name)) <= 1 || sorted(wrong) === sorted(name);
  return isNear || isAbbreviated(bare(wrong), bare(name)) || isAbbreviated(bare(name), bare(wrong));
}

/** Whether `short` is `long` without one or two letters, as uniqId is uniqueId. */
function isAbbreviated(short: string, long: string): boolean {
  const left = long.length - short.length;
  if (short.length < 5 || left < 1 || left > 2) return false;
  let matched = 0;
  for (const letter of long) if (letter === short[matched]) matched++;
  return matched === short.length;
}

/** Several names written as one, such as `a,b`, one of which is known; null if it is a single name. */
export function namesIn(text: string, known: readonly string[]): readonly string[] | null {
  const names = text.split(/[\s,;]+/).filter((name) => name !== "");
  return names.length > 1 && names.some((name) => known.includes(name)) ? names : null;
}

/** A member with an unknown name, and the missing one that it was most likely meant to be. */
export interface Slip {
  readonly name: string;
  readonly meant: string;
}

/** Unknown members of an object that look like misspelt missing ones, such as `is_hidden` for `isHidden`. */
export function slipsIn(object: unknown, known: readonly string[]): Slip[] {
  if (!isJsonObject(object)) return [];
  return Object.keys(object).flatMap((name) => {
    // A longer name is no typo, and comparing it takes time.
    if (known.includes(name) || name.length > SLIP_CHARACTERS) return [];
    const meant = known.find((right) => !Object.hasOwn(object, right) && isSlipOf(name, right));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

const SLIP_CHARACTERS = 40;

/** The message for a misspelt member: nothing reads it. */
export function slipText({ meant }: Slip): string {
  return `is not part of the interface, so it is ignored. Did you mean "${meant}"?`;
}
