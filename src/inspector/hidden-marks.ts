import { REDACTED } from "../journal/credentials.ts";

/** What stands for something hidden: the marker itself, or the ellipsis for the signature of a JWT. */
const marks = new RegExp(String.raw`${REDACTED}|(?<=eyJ[\w-]+\.[\w-]+\.)…`, "g");

/** A text cut where something is hidden in it: `literals` has one more than `marks`. */
export function splitAtHidden(text: string): {
  readonly literals: readonly string[];
  readonly marks: readonly string[];
} {
  const found = [...text.matchAll(marks)];
  const ends = found.map(({ index }) => index);
  const starts = [0, ...found.map(({ index, 0: mark }) => index + mark.length)];
  return { literals: starts.map((start, nth) => text.slice(start, ends[nth])), marks: found.map(([mark]) => mark) };
}
