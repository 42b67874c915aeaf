import leven, { closestMatch } from "leven";

/** ` Did you mean "x"?` with the name that `wrong` was most likely meant to be, or "" where none is near. */
export function didYouMean(wrong: string, names: Iterable<string>): string {
  const byLowerCase = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const maxDistance = Math.max(2, Math.floor(wrong.length / 3));
  const match = closestMatch(wrong.toLowerCase(), [...byLowerCase.keys()], { maxDistance });
  return match === undefined ? "" : ` Did you mean "${byLowerCase.get(match)}"?`;
}

/**
 * Whether a name is another one but for a slip: its case or hyphens, a plural, one letter, or letters in another order.
 * Two other letters make other names: file-post-export is no slip for file-post-import.
 */
export function isSlipOf(wrong: string, name: string): boolean {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const sorted = (text: string) => [...bare(text)].sort().join("");
  return leven(bare(wrong), bare(name)) <= 1 || sorted(wrong) === sorted(name);
}
