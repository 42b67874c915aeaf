import { closestMatch } from "leven";

/** ` Did you mean "x"?` with the name that `wrong` was most likely meant to be, or "" where none is near. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const byLowerCase = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const maxDistance = Math.max(2, Math.floor(wrong.length / 3));
  const match = closestMatch(wrong.toLowerCase(), [...byLowerCase.keys()], { maxDistance });
  return match === undefined ? "" : ` Did you mean "${byLowerCase.get(match)}"?`;
}
