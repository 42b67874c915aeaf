import { columnsOf, drawLines, fold, type Piece, padTo, shortened } from "../../output/columns.ts";
import { diffPieces, wholePieces } from "../../output/diff-pieces.ts";
import type { Paint } from "../../output/paint.ts";
import { indent } from "../../output/text.ts";
import type { StringChange } from "../import-result.ts";
import { membersOf, nameText, type Sides, whatTheAppDid } from "./import-fields.ts";

type FieldChange = StringChange["fields"][number];

/** One text of a string: the source text or a translation, or one plural category of it; null: not there. */
interface TextRow {
  readonly label: string;
  /** The heading that it stands under, where it is a plural category. */
  readonly under: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Columns in which texts stand side by side: those of a terminal of 80, less the indentation. */
const WIDE = 74;
/** Lines of a file are read by programs as well: there no text is broken into several. */
const WIDTH_OF_FILE = 120;
const MOST_LINES = 4;
const GAP = 2;

/** The texts of a changed string, side by side where there are several and the terminal is wide enough. */
export function textLines(fields: readonly FieldChange[], sides: Sides, paint: Paint, details: boolean): string[] {
  const rows = fields.flatMap((field) => textRows(field, details));
  return sideBySide(rows, sides, paint) ?? stacked(rows, sides, paint);
}

/** `text` for the source text, the language for a translation; null for a field that is no text. */
function placeOf(field: string): string | null {
  return field === "text" ? "text" : (/^translations\.(.*)\.text$/s.exec(field)?.[1] ?? null);
}

export function isText({ field }: FieldChange): boolean {
  return placeOf(field) !== null;
}

function textRows({ field, before, after }: FieldChange, details: boolean): TextRow[] {
  const place = nameText(placeOf(field) ?? field);
  const plain = { label: place, under: null, before: plainText(before), after: plainText(after) };
  const [old, now] = [membersOf(before), membersOf(after)];
  const categories = [...new Set([...old.keys(), ...now.keys()])].map((category) => ({
    label: nameText(category),
    under: place,
    before: plainText(old.get(category)),
    after: plainText(now.get(category)),
  }));
  return [plain, ...categories].filter((row) => {
    const isThere = row.before !== null || row.after !== null;
    return isThere && (row.before !== row.after || (details && row.under !== null));
  });
}

function plainText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? null : JSON.stringify(value);
}

/** A table; null where it is better to have the texts below each other. */
function sideBySide(rows: readonly TextRow[], sides: Sides, paint: Paint): string[] | null {
  const isOneSided = rows.every(({ before }) => before === null) || rows.every(({ after }) => after === null);
  if (rows.length < 2 || isOneSided || paint.width < WIDE) return null;
  const isFile = paint.width === Number.POSITIVE_INFINITY;
  const labels = rows.map(labelText);
  const labelColumns = Math.max(...labels.map(columnsOf));
  const room = Math.floor(((isFile ? WIDTH_OF_FILE : paint.width) - labelColumns) / 2) - GAP;
  if (room < 20) return null;
  const cells = rows.map((row) => {
    const { before, after } = piecesOf(row, paint);
    return { before: drawLines(before, room), after: drawLines(after, room) };
  });
  const mostLines = Math.max(...cells.map(({ before, after }) => Math.max(before.length, after.length)));
  if (mostLines > (isFile ? 1 : MOST_LINES)) return null;
  const header = [`- ${sides.before}`, `+ ${sides.after}`] as const;
  const width = Math.max(header[0].length, ...cells.flatMap(({ before }) => before.map(({ columns }) => columns)));
  const line = (label: string, before: string, after: string) =>
    [label + " ".repeat(Math.max(0, labelColumns - columnsOf(label))), before, after].join(" ".repeat(GAP)).trimEnd();
  const blank = { line: "", columns: 0 };
  return [
    line("", padTo({ line: paint.bad(header[0]), columns: header[0].length }, width), paint.good(header[1])),
    ...rows.flatMap((row, index) => {
      const { before = [], after = [] } = cells[index] ?? {};
      const lines = Array.from({ length: Math.max(before.length, after.length) }, (_, at) =>
        line(at === 0 ? labelText(row) : "", padTo(before[at] ?? blank, width), after[at]?.line ?? ""),
      );
      return [...headingOf(rows, index, paint), ...lines];
    }),
  ];
}

function labelText({ label, under }: TextRow): string {
  return under === null ? label : `  ${label}`;
}

/** The text that plural categories belong to, before the first of them. */
function headingOf(rows: readonly TextRow[], index: number, paint: Paint): string[] {
  const under = rows[index]?.under ?? null;
  return under === null || rows[index - 1]?.under === under ? [] : [shortened(under, paint.width)];
}

/** Before and after below each other: each line says by its sign, and by a word where it matters, which it is. */
function stacked(rows: readonly TextRow[], sides: Sides, paint: Paint): string[] {
  const said =
    sides === whatTheAppDid ? { before: "", after: "" } : { before: `${sides.before} `, after: `${sides.after} ` };
  return rows.flatMap((row, index) => {
    const by = row.under === null ? 0 : 2;
    const width = paint.width - by;
    const { before, after } = piecesOf(row, paint);
    const side = (sign: string, word: string, tone: Piece["paint"], pieces: readonly Piece[]) =>
      fold([{ text: `${sign} ${word}${row.label}: `, paint: tone }, ...pieces], width, 4);
    return [
      ...headingOf(rows, index, paint),
      ...indent(
        row.before === row.after
          ? fold([{ text: `  ${row.label}: `, paint: paint.quiet }, ...before], width, 4)
          : [
              ...(row.before === null ? [] : side("-", said.before, paint.bad, before)),
              ...(row.after === null ? [] : side("+", said.after, paint.good, after)),
            ],
        by,
      ),
    ];
  });
}

function piecesOf({ before, after }: TextRow, paint: Paint): { before: readonly Piece[]; after: readonly Piece[] } {
  if (before !== null && after !== null && before !== after && before !== "" && after !== "")
    return diffPieces(before, after, paint);
  const isChanged = before !== after;
  const whole = (text: string | null, tone: Piece["paint"]) =>
    text === null ? [{ text: "–", paint: paint.quiet }] : wholePieces(text, paint, isChanged ? tone : paint.quiet);
  return { before: whole(before, paint.bad), after: whole(after, paint.good) };
}
