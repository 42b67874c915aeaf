import leven, { closestMatch } from "leven";
import { isJsonObject } from "./json-object.ts";

/** ` Did you mean "x"?` with the name that `wrong` was most likely meant to be, or "" where none is near. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const name = nearestName(wrong, names);
  return name === null ? "" : ` Did you mean "${name}"?`;
}

/** The name that `wrong` was most likely meant to be; null where none is near. */
export function nearestName(wrong: string, names: Iterable<string>): string | null {
  const byLowerCase = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const lower = wrong.toLowerCase();
  const known = [...byLowerCase.keys()];
  const near = (maxDistance: number) => closestMatch(lower, known, { maxDistance });
  // A name all of whose letters are others is not near.
  const match = near(Math.min(2, wrong.length - 1)) ?? onlyOneBegun(lower, known) ?? near(Math.floor(wrong.length / 3));
  return (match === undefined ? onlyOneInWords(wrong, [...byLowerCase.values()]) : byLowerCase.get(match)) ?? null;
}

/** A shorter word ends too many names, as id does. */
const SHORTEST_END = 5;

/**
 * The only name that is a whole word of another one, or begins with it as a word, `ipAddress` for ip, or `ip` for it; or
 * else the only one that ends with it, `interactionTimeout` for timeout.
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

/** The only name that goes on where a word ends, or its last letter is another: `alg` for algorithm, `deny` for denied. */
function onlyOneBegun(wrong: string, names: readonly string[]): string | undefined {
  const stem = wrong.slice(0, -1);
  const begun = stem.length < 3 ? [] : names.filter((name) => name.startsWith(stem));
  return begun.length === 1 ? begun[0] : undefined;
}

/**
 * Whether a name is another one but for a slip: its case or hyphens, a plural, one letter, letters in another order, or
 * two that were left out, as in an abbreviation.
 * Two other letters make other names: file-post-export is no slip for file-post-import.
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

/** The names that were written as one, such as `a,b`, where one of them is known; null: it is a single name. */
export function namesIn(text: string, known: readonly string[]): readonly string[] | null {
  const names = text.split(/[\s,;]+/).filter((name) => name !== "");
  return names.length > 1 && names.some((name) => known.includes(name)) ? names : null;
}

/** A member whose name nobody reads, and the one that it was most likely meant for, which is missing. */
export interface Slip {
  readonly name: string;
  readonly meant: string;
}

/** The unknown members of an object that are missing members but for a slip of the pen, such as `is_hidden` for `isHidden`. */
export function slipsIn(object: unknown, known: readonly string[]): Slip[] {
  if (!isJsonObject(object)) return [];
  return Object.keys(object).flatMap((name) => {
    // A longer one is nobody's slip, and to compare it takes time.
    if (known.includes(name) || name.length > SLIP_CHARACTERS) return [];
    const meant = known.find((right) => !Object.hasOwn(object, right) && isSlipOf(name, right));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

const SLIP_CHARACTERS = 40;

/** What is said of a slip: nobody reads the member. */
export function slipText({ meant }: Slip): string {
  return `is not part of the interface, so it is ignored. Did you mean "${meant}"?`;
}
