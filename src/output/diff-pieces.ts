import { harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import type { Piece } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { isSame, type Part, wordDiff } from "./word-diff.ts";

/** A text before and after a change, each as pieces of a line. */
export interface DiffPieces {
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}

/** Unchanged characters kept on each side of a change. */
const CONTEXT_CHARACTERS = 60;
/** Leaving out less than this would save no space. */
const MIN_LEFT_OUT_CHARACTERS = 200;
/** Characters kept at the beginning and end of a text; `what` follows the count of those left out. */
interface Kept {
  readonly head: number;
  readonly tail: number;
  readonly what: string;
}
const keptOfChange: Kept = { head: 300, tail: 60, what: "" };
const MAX_PARTS = 40;
/** A text is cut between words if one ends within this distance. */
const MAX_SHIFT_CHARACTERS = 20;

/**
 * Two complete texts with the differing words marked: by colour and underlining, or with the signs of `git diff
 * --word-diff`. Two texts rather than one merged text: each can be read aloud, and copied, as a sentence.
 */
export function diffPieces(before: string, after: string, paint: Paint): DiffPieces {
  const parts = wordDiff(before, after);
  const shown = parts.slice(0, MAX_PARTS);
  const rest = parts.slice(MAX_PARTS).filter((part) => !isSame(part)).length;
  const more = rest === 0 ? [] : [{ text: ` … and ${withCommas(rest)} more changes`, paint: paint.quiet }];
  return {
    before: [...sidePieces(shown, parts.length, "before", paint), ...more],
    after: [...sidePieces(shown, parts.length, "after", paint), ...more],
  };
}

/** A text that exists on one side only, or is the same on both. */
export function wholePieces(text: string, paint: Paint, tone?: Piece["paint"]): Piece[] {
  if (text === "") return [{ text: '""', paint: paint.quiet }];
  return cutOut(visibleEdges(text, true, true), keptOfChange, tone, paint);
}

function sidePieces(parts: readonly Part[], count: number, side: keyof Part, paint: Paint): Piece[] {
  const tone = side === "before" ? paint.bad : paint.good;
  const [only] = parts;
  if (count === 1 && only !== undefined) {
    if (isAlike(only) && !isSame(only)) return cutOut(spelledOut(only[side]), keptOfChange, tone, paint);
    return wholePieces(only[side], paint, isSame(only) ? undefined : tone);
  }
  return parts.flatMap((part, index) => {
    const [isFirst, isLast] = [index === 0, index === count - 1];
    if (isSame(part)) {
      const [head, tail] = [isFirst ? 0 : CONTEXT_CHARACTERS, isLast ? 0 : CONTEXT_CHARACTERS];
      return cutOut(visibleEdges(part[side], isFirst, isLast), { head, tail, what: " unchanged" }, undefined, paint);
    }
    return part[side] === "" ? [] : markedPieces(changedText(part, side, isFirst, isLast), side, paint);
  });
}

function markedPieces(text: string, side: keyof Part, paint: Paint): Piece[] {
  const tone = side === "before" ? paint.bad : paint.good;
  if (paint.hasColor) return cutOut(text, keptOfChange, (shown) => tone(paint.underline(shown)), paint);
  const [open, close] = side === "before" ? ["[-", "-]"] : ["{+", "+}"];
  return [{ text: open }, ...cutOut(text, keptOfChange, undefined, paint), { text: close }];
}

/** A text whose middle is left out if it is long; the rest is made harmless. */
function cutOut(text: string, { head, tail, what }: Kept, tone: Piece["paint"], paint: Paint): Piece[] {
  const left = text.length - head - tail;
  if (left < MIN_LEFT_OUT_CHARACTERS) return [{ text: harmlessLine(text), paint: tone }];
  const start = atWord(text, head, -1);
  const end = atWord(text, text.length - tail, 1);
  const gap = `… ${withCommas(end - start)} characters${what} …`;
  return [
    { text: harmlessLine(text.slice(0, start)), paint: tone },
    { text: `${head === 0 ? "" : " "}${gap}${tail === 0 ? "" : " "}`, paint: paint.quiet },
    { text: harmlessLine(text.slice(end).trimStart()), paint: tone },
  ].filter(({ text: shown }) => shown !== "");
}

/** The index, moved by `step` to the next space if one is near. */
function atWord(text: string, index: number, step: 1 | -1): number {
  if (index === 0 || index === text.length) return index;
  const space = step < 0 ? text.lastIndexOf(" ", index) : text.indexOf(" ", index);
  return space >= 0 && Math.abs(space - index) <= MAX_SHIFT_CHARACTERS ? space : atCharacter(text, index, step);
}

/** The index, moved by `step` if it would split a surrogate pair. */
function atCharacter(text: string, index: number, step: 1 | -1): number {
  const isInPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
  return index > 0 && isInPair ? index + step : index;
}

/** Spaces at the ends of a text are easily overlooked. */
function visibleEdges(text: string, isFirst: boolean, isLast: boolean): string {
  const started = isFirst ? text.replace(/^ +/, visibleSpaces) : text;
  const end = isLast ? started.trimEnd().length : started.length;
  return started.slice(0, end) + started.slice(end).replaceAll(" ", "␠");
}

function visibleSpaces(spaces: string): string {
  return spaces.replaceAll(" ", "␠");
}

function changedText(part: Part, side: keyof Part, isFirst: boolean, isLast: boolean): string {
  const text = part[side];
  if (isAlike(part) || text.trim() === "") return spelledOut(text);
  return visibleEdges(text, isFirst, isLast);
}

/** Whether the two look the same to a reader: different spaces, another normal form, invisible characters. */
function isAlike({ before, after }: Part): boolean {
  return bare(before) === bare(after);
}

function bare(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\p{Zs}/gu, " ")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/** Every character outside plain English text as its code point. */
function spelledOut(text: string): string {
  return visibleSpaces(text).replace(/[^\t\n\r\x20-\x7E␠]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
