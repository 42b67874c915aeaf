import { blank, cut, type Row, row, span, type Tone, wrapText } from "./walk-text.ts";

/** Rows that belong together. */
export interface Block {
  readonly rows: readonly Row[];
  /** What is shown where they do not fit all; without it, their beginning. */
  readonly instead?: Row;
}

/** A text of its own, in lines. */
export function paragraph(text: string, cols: number, tone: Tone = "plain"): Block {
  return { rows: wrapText(text, cols).map((line) => row(span(line, tone))) };
}

/** A text behind a label, under which its further lines are indented. */
export function labelled(label: string, text: string, cols: number, tone: Tone): Block {
  const lines = wrapText(text, Math.max(1, cols - label.length));
  const pad = " ".repeat(label.length);
  return { rows: lines.map((line, index) => row(span(index === 0 ? label : pad, tone), line)) };
}

/** A part of a whole, from 0 to 1, with the numbers that it stands for. */
export function bar(part: number, numbers: string, cols: number, tone: Tone): Block {
  const room = Math.min(40, cols - numbers.length - 2);
  const full = Math.round(room * Math.min(1, Math.max(0, part)));
  const drawn = room < 4 ? [] : [span("█".repeat(full), tone), span("░".repeat(room - full), "quiet"), "  "];
  return { rows: [{ ...row(...drawn, numbers), spoken: numbers }] };
}

/** Rows that the blocks take, with a blank one between any two. */
export function blocksHeight(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { rows }) => sum + rows.length, Math.max(0, blocks.length - 1));
}

/**
 * The blocks in at most so many rows: the first ones first, and with blank rows only where all fit. One of which only
 * the beginning is shown ends in `…`.
 */
export function stack(blocks: readonly Block[], limit: number, cols: number): Row[] {
  if (blocksHeight(blocks) <= limit)
    return blocks.flatMap(({ rows }, index) => [...(index > 0 ? [blank] : []), ...rows]);
  const shown: Row[] = [];
  for (const { rows, instead } of blocks) {
    const room = limit - shown.length;
    if (rows.length <= room) shown.push(...rows);
    else if (instead === undefined) shown.push(...beginning(rows, room, cols));
    else shown.push(...[instead].slice(0, room));
  }
  return shown;
}

function beginning(rows: readonly Row[], room: number, cols: number): Row[] {
  const shown = rows.slice(0, room);
  return shown.map((each, index) =>
    index < shown.length - 1 ? each : cut({ ...each, spans: [...each.spans, span("…", "quiet")] }, cols),
  );
}
