import { REDACTED } from "../journal/credentials.ts";

/** Placeholders for hidden text: the marker itself, or the ellipsis for the signature of a JWT. */
const marks = new RegExp(String.raw`${REDACTED}|(?<=eyJ[\w-]+\.[\w-]+\.)…`, "g");

/** A text split at its placeholders: `literals` has one more element than `marks`. */
export function splitAtHidden(text: string): {
  readonly literals: readonly string[];
  readonly marks: readonly string[];
} {
  const found = [...text.matchAll(marks)];
  const ends = found.map(({ index }) => index);
  const starts = [0, ...found.map(({ index, 0: mark }) => index + mark.length)];
  return { literals: starts.map((start, nth) => text.slice(start, ends[nth])), marks: found.map(([mark]) => mark) };
}
