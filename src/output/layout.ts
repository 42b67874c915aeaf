import stringWidth from "string-width";

/** A stretch of a line in one style; its text must be harmless already. */
export interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** The fewest columns to which a text is folded, however narrow the terminal is. */
const MIN_COLUMNS = 8;
/** Addresses and whole JWTs, also as the value of a flag or variable: the whole word is copied at once. */
const copiedWhole = /^["'(<]*(?:[\w-]+=)?(?:[a-z][a-z0-9+.-]*:\/\/|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*\s*$)/i;

/**
 * ASCII and the symbols used in reports, one column each; for any other character string-width compiles its emoji
 * tables.
 */
const narrow = /^[ -~…→←↑↓▶✗✓·–’‹›│─█░●○≠−]*$/;

/** Terminal columns of a text: two for a Chinese character or an emoji, none for a combining mark. */
export function columnsOf(text: string): number {
  return narrow.test(text) ? text.length : stringWidth(text);
}

/**
 * The text as lines of at most `width` columns, broken between words if possible, otherwise after a comma, a slash or
 * the like, otherwise between graphemes. An address (`http://…`) or a JWT is never broken, so that it can be opened and
 * copied. Each line is painted separately.
 *
 * Packages that fold painted text (wrap-ansi, slice-ansi) break within graphemes, change the text's normal form, and
 * count columns differently from string-width.
 * @param hanging columns by which lines after the first are indented
 */
export function fold(content: string | readonly Piece[], width: number, hanging = 0): string[] {
  const lines: Piece[][] = [[]];
  let room = Math.max(MIN_COLUMNS, width);
  const startLine = () => {
    lines.push([]);
    room = Math.max(MIN_COLUMNS, width - hanging);
  };
  for (const word of wordsOf(typeof content === "string" ? [{ text: content }] : content)) {
    const text = textOf(word);
    const columns = columnsOf(text.trimEnd());
    if (columns > room && textOf(lines.at(-1) ?? []).trim() !== "") startLine();
    for (const part of columns <= room || copiedWhole.test(text) ? [word] : partsOf(word, width - hanging)) {
      const partColumns = columnsOf(textOf(part));
      if (part !== word && partColumns > room && lines.at(-1)?.length !== 0) startLine();
      lines.at(-1)?.push(...part);
      room -= partColumns;
    }
  }
  return lines.map((line, index) => " ".repeat(index === 0 ? 0 : hanging) + draw(line));
}

/** The text in at most `columns` columns; if it is too long, `…` replaces its end, middle or start. */
export function truncate(text: string, columns: number, from: "end" | "middle" | "start" = "end"): string {
  if (columnsOf(text) <= columns) return text;
  const letters = graphemesOf(text);
  const tailColumns = { end: 0, middle: Math.floor((columns - 1) / 2), start: Math.max(0, columns - 1) }[from];
  const head = fitting(letters, columns - 1 - tailColumns);
  const tail = fitting(letters.toReversed(), tailColumns).toReversed();
  return `${head.join("")}…${tail.join("")}`;
}

/** The text padded with spaces on the right or left to `columns` columns. */
export function pad(text: string, columns: number, side: "left" | "right" = "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - columnsOf(text)));
  return side === "right" ? text + spaces : spaces + text;
}

export function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === "" ? "" : " ".repeat(by) + line));
}

interface TableOptions {
  /** Columns of the whole table; default: as many as needed. */
  readonly width?: number;
  /** Whether all columns but the first contain numbers, which are right-aligned. */
  readonly hasNumbers?: boolean;
}

/** The fewest columns to which a row's last cell is cut. */
const MIN_LAST_CELL = 20;

/**
 * Rows of plain cells, in columns as wide as their widest cell, two spaces apart; the last cell is cut to fit the
 * width.
 */
export function table(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, hasNumbers = false }: TableOptions = {},
): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? "")))) ?? [];
  const room = Math.max(MIN_LAST_CELL, width - widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const shown = column === row.length - 1 ? truncate(cell, room) : cell;
        return pad(shown, widths[column] ?? 0, hasNumbers && column > 0 ? "left" : "right");
      })
      .join("  ")
      .trimEnd(),
  );
}

function fitting(letters: readonly string[], columns: number): string[] {
  let room = columns;
  const end = letters.findIndex((letter) => {
    room -= columnsOf(letter);
    return room < 0;
  });
  return letters.slice(0, end < 0 ? letters.length : end);
}

/** Words with their trailing spaces; a word may span several pieces. */
function wordsOf(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [];
  let isOpen = false;
  for (const { text, paint } of pieces) {
    for (const part of text.split(/(?<= )(?! )/)) {
      if (part === "") continue;
      const word = { text: part, paint };
      if (isOpen) words.at(-1)?.push(word);
      else words.push([word]);
      isOpen = !part.endsWith(" ");
    }
  }
  return words;
}

/**
 * Good places to break a word that is too long for a line: in JSON, a query string, a path, or a dotted setting name.
 */
const breaks = /(?<=[,;&{[]|[\w.)-]\/|[a-z\]]\.(?=[a-z]{5}))/i;

/**
 * The parts of a word that is too long for a line: split at its breaks, or into graphemes if a part is still too long.
 */
function partsOf(word: readonly Piece[], width: number): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const { text, paint } of word) {
    for (const [index, part] of text.split(breaks).entries()) {
      if (index > 0 || /[,;&]$/.test(textOf(parts.at(-1) ?? []))) parts.push([]);
      parts.at(-1)?.push({ text: part, paint });
    }
  }
  return parts.flatMap((part) => (columnsOf(textOf(part)) <= Math.max(MIN_COLUMNS, width) ? [part] : lettersOf(part)));
}

function lettersOf(word: readonly Piece[]): Piece[][] {
  return word.flatMap(({ text, paint }) => graphemesOf(text).map((grapheme) => [{ text: grapheme, paint }]));
}

const graphemesOf = graphemeSplitter();

/** Creates its segmenter for the first text, because that would delay the start of every command. */
function graphemeSplitter(): (text: string) => string[] {
  let segmenter: Intl.Segmenter | undefined;
  return (text) => {
    segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return Array.from(segmenter.segment(text), ({ segment }) => segment);
  };
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** Neighbours in the same style are painted together. */
function draw(pieces: readonly Piece[]): string {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || last.paint !== piece.paint) joined.push(piece);
    else joined[joined.length - 1] = { ...last, text: last.text + piece.text };
  }
  const end = joined.pop();
  if (end !== undefined) joined.push({ ...end, text: end.text.trimEnd() });
  return joined.map(({ text, paint }) => (paint === undefined || text === "" ? text : paint(text))).join("");
}
