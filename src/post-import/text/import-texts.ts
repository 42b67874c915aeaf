import { diffPieces, wholePieces } from "../../output/diff-pieces.ts";
import { fold, indent, type Piece, truncate } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
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

/**
 * The texts of a changed string, before and after below each other: each line says by its sign, and by a word where it
 * matters, which it is.
 */
export function textLines(fields: readonly FieldChange[], sides: Sides, paint: Paint, details: boolean): string[] {
  const rows = fields.flatMap((field) => textRows(field, details));
  return rows.flatMap((row, index) => [
    ...headingOf(rows, index, paint),
    ...indent(rowLines(row, sides, paint), row.under === null ? 0 : 2),
  ]);
}

function rowLines(row: TextRow, sides: Sides, paint: Paint): string[] {
  const width = row.under === null ? paint.width : paint.width - 2;
  const { before, after } = piecesOf(row, paint);
  if (row.before === row.after) return fold([{ text: `  ${row.label}: `, paint: paint.quiet }, ...before], width, 4);
  const side = (sign: "-" | "+", name: string, tone: Piece["paint"], pieces: readonly Piece[]) => {
    const word = sides === whatTheAppDid ? "" : `${name} `;
    return fold([{ text: `${sign} ${word}${row.label}: `, paint: tone }, ...pieces], width, 4);
  };
  return [
    ...(row.before === null ? [] : side("-", sides.before, paint.bad, before)),
    ...(row.after === null ? [] : side("+", sides.after, paint.good, after)),
  ];
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

/** The text that plural categories belong to, before the first of them. */
function headingOf(rows: readonly TextRow[], index: number, paint: Paint): string[] {
  const under = rows[index]?.under ?? null;
  return under === null || rows[index - 1]?.under === under ? [] : [truncate(under, paint.width, "middle")];
}

function piecesOf({ before, after }: TextRow, paint: Paint): { before: readonly Piece[]; after: readonly Piece[] } {
  if (before !== null && after !== null && before !== after && before !== "" && after !== "")
    return diffPieces(before, after, paint);
  const isChanged = before !== after;
  const whole = (text: string | null, tone: Piece["paint"]) =>
    text === null ? [{ text: "–", paint: paint.quiet }] : wholePieces(text, paint, isChanged ? tone : paint.quiet);
  return { before: whole(before, paint.bad), after: whole(after, paint.good) };
}
