import stringWidth from "string-width";
import { clip, harmlessLine } from "../../protocol/harmless.ts";

/** How a piece of text is drawn; on no tone hangs a meaning that the words do not tell. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "caution";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of the screen, from left to right. */
export interface Row {
  readonly spans: readonly Span[];
  /** What a screen reader says in its place; empty: nothing, it is an ornament. */
  readonly spoken?: string;
}

export const blank: Row = { spans: [], spoken: "" };

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A piece of text, made harmless (hardening S15). */
export function span(text: string, tone: Tone = "plain"): Span {
  return { text: harmlessLine(text), tone };
}

/** An app may say as much as it likes; of one of its sentences this much is shown. */
const CHARACTERS = 500;

/** The app's words, harmless and of a bearable length. */
export function brief(text: string): string {
  return clip(harmlessLine(text), CHARACTERS);
}

/** A row of pieces; a mere text is a plain one. */
export function row(...parts: readonly (Span | string)[]): Row {
  return { spans: parts.map((part) => (typeof part === "string" ? span(part) : part)) };
}

/** Columns that a row takes. */
export function rowWidth({ spans }: Row): number {
  return stringWidth(spans.map(({ text }) => text).join(""));
}

/** The row in at most so many columns, at least 1, the last being `…` where something was cut off. */
export function cut(whole: Row, cols: number): Row {
  if (rowWidth(whole) <= cols) return whole;
  const kept: Span[] = [];
  let room = cols - 1;
  for (const { text, tone } of whole.spans) {
    const [head = ""] = breakText(text, Number.POSITIVE_INFINITY, room);
    kept.push({ text: head, tone });
    room -= stringWidth(head);
    if (head !== text) break;
  }
  return { ...whole, spans: [...kept, { text: "…", tone: "quiet" }] };
}

/** Two rows as one: the right one stands at the right edge, or is left out where it does not fit. */
export function ends(left: Row, right: Row, cols: number): Row {
  const gap = cols - rowWidth(left) - rowWidth(right);
  if (right.spans.length === 0 || gap < 2) return cut(left, cols);
  return { spans: [...left.spans, { text: " ".repeat(gap), tone: "plain" }, ...right.spans] };
}

/**
 * Pieces of at most so many columns, broken between any two graphemes.
 * @param first columns of the first piece
 */
export function breakText(text: string, cols: number, first = cols): string[] {
  const pieces: string[] = [];
  let piece = "";
  let room = first;
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment);
    if (width > room) {
      pieces.push(piece);
      piece = "";
      room = cols;
    }
    piece += segment;
    room -= width;
  }
  return [...pieces, piece];
}

/** Lines of at most so many columns, broken between words where that is possible. */
export function wrapText(text: string, cols: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of harmlessLine(text).split(/(?<= )/)) {
    const letters = word.trimEnd();
    if (stringWidth(line + letters) <= cols) {
      line += word;
      continue;
    }
    if (line.trim() !== "") lines.push(line.trimEnd());
    const pieces = breakText(letters, cols);
    line = (pieces.pop() ?? "") + word.slice(letters.length);
    lines.push(...pieces);
  }
  return [...lines, line.trimEnd()];
}
