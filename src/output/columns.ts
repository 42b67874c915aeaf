import stringWidth from "string-width";

/** A stretch of a line that is drawn in one way; its text is harmless already. */
export interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** A line as it is printed, and how many columns of a terminal it takes. */
export interface Drawn {
  readonly line: string;
  readonly columns: number;
}

const LEAST_ROOM = 8;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes: two for a Chinese character or an emoji. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/**
 * The pieces as lines of at most `width` columns, broken between words where that is possible.
 * @param hanging columns that lines after the first are indented by
 */
export function fold(pieces: readonly Piece[], width: number, hanging = 0): string[] {
  const [first, ...rest] = drawLines(pieces, width, Math.max(LEAST_ROOM, width - hanging));
  return [first?.line ?? "", ...rest.map(({ line }) => " ".repeat(hanging) + line)];
}

/** As {@link fold} without indentation, with the columns that each line takes. */
export function drawLines(pieces: readonly Piece[], width: number, nextWidth = width): Drawn[] {
  const lines: Piece[][] = [[]];
  let room = Math.max(LEAST_ROOM, width);
  const startLine = () => {
    lines.push([]);
    room = Math.max(LEAST_ROOM, nextWidth);
  };
  const put = (word: readonly Piece[]) => {
    lines.at(-1)?.push(...word);
    room -= columnsOfPieces(word);
  };
  for (const word of wordsOf(pieces)) {
    const columns = columnsOf(textOf(word).trimEnd());
    if (columns > room && lines.at(-1)?.length !== 0) startLine();
    if (columns <= room) put(word);
    else
      for (const letter of lettersOf(word)) {
        if (columnsOf(letter.text) > room) startLine();
        put([letter]);
      }
  }
  return lines.map(draw);
}

/** The text in at most so many columns: what is too much is left out of its middle. */
export function shortened(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const letters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const head = fitting(letters, Math.ceil((columns - 1) / 2));
  const tail = fitting(letters.toReversed(), Math.floor((columns - 1) / 2)).toReversed();
  return `${head.join("")}…${tail.join("")}`;
}

export function padTo({ line, columns }: Drawn, width: number): string {
  return line + " ".repeat(Math.max(0, width - columns));
}

function fitting(letters: readonly string[], columns: number): string[] {
  let room = columns;
  const end = letters.findIndex((letter) => {
    room -= columnsOf(letter);
    return room < 0;
  });
  return letters.slice(0, end < 0 ? letters.length : end);
}

/** Words with the spaces after them; one may reach over several pieces. */
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

function lettersOf(word: readonly Piece[]): Piece[] {
  return word.flatMap(({ text, paint }) =>
    Array.from(graphemes.segment(text), ({ segment }) => ({ text: segment, paint })),
  );
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

function columnsOfPieces(pieces: readonly Piece[]): number {
  return columnsOf(textOf(pieces));
}

/** Neighbours that are drawn alike are drawn at once. */
function draw(pieces: readonly Piece[]): Drawn {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || last.paint !== piece.paint) joined.push(piece);
    else joined[joined.length - 1] = { ...last, text: last.text + piece.text };
  }
  const end = joined.pop();
  if (end !== undefined) joined.push({ ...end, text: end.text.trimEnd() });
  const line = joined.map(({ text, paint }) => (paint === undefined || text === "" ? text : paint(text))).join("");
  return { line, columns: columnsOfPieces(joined) };
}
