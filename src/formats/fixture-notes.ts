import type { LeftOut } from "./parsed-file.ts";

/** Places that a note names; more would hide the next note. */
const NAMED = 3;

/** One line for each reason, with the first places that it is true of and how many there are further. */
export function fixtureNotes(leftOut: readonly LeftOut[]): string[] {
  const places = new Map<string, string[]>();
  for (const { why, what } of leftOut) {
    const named = places.get(why) ?? [];
    named.push(what);
    places.set(why, named);
  }
  return [...places].map(([why, named]) => {
    const more = named.length > NAMED ? ` and ${named.length - NAMED} more` : "";
    return `${why}: ${named.slice(0, NAMED).join(", ")}${more}`;
  });
}
