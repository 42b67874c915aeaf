import { diffPieces, wholePieces } from "../../output/diff-pieces.ts";
import { type Piece, truncate } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import type { FieldChange } from "../import-result.ts";
import { type ChangeView, membersOf, whatTheAppDid } from "./changed-fields.ts";
import { inset, nameText, paragraph } from "./import-words.ts";

/** One text of a string: the source text or a translation, or one of its plural categories; null: there is none. */
interface TextRow {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** `text` for the source text, the language for a translation; null for a field that is not a text. */
function placeOf(field: string): string | null {
  return field === "text" ? "text" : (/^translations\.(.*)\.text$/s.exec(field)?.[1] ?? null);
}

export function isText({ field }: FieldChange): boolean {
  return placeOf(field) !== null;
}

/**
 * A changed text of a string, before above after, marked by signs; its plural categories below the name of the text.
 */
export function textLines({ field, before, after }: FieldChange, view: ChangeView): string[] {
  const label = nameText(placeOf(field) ?? field);
  const plain = { label, before: plainText(before), after: plainText(after) };
  const categories = membersOf(before, after)
    .map(([name, old, now]) => ({ label: nameText(name), before: plainText(old), after: plainText(now) }))
    .filter((row) => (row.before ?? row.after) !== null && (view.details || row.before !== row.after));
  return [
    ...(plain.before === plain.after ? [] : rowLines(plain, view)),
    ...(categories.length === 0 ? [] : [truncate(label, view.paint.width, "middle")]),
    ...inset(2, view.paint, (paint) => categories.flatMap((row) => rowLines(row, { ...view, paint }))),
  ];
}

function rowLines(row: TextRow, { sides, paint }: ChangeView): string[] {
  const { before, after } = piecesOf(row, paint);
  const line = (start: string, tone: Piece["paint"], pieces: readonly Piece[]) =>
    paragraph(paint, { text: `${start}${row.label}: `, paint: tone }, ...pieces);
  if (row.before === row.after) return line("  ", paint.quiet, before);
  const name = (side: string) => (sides === whatTheAppDid ? "" : `${side} `);
  return [
    ...(row.before === null ? [] : line(`- ${name(sides.before)}`, paint.bad, before)),
    ...(row.after === null ? [] : line(`+ ${name(sides.after)}`, paint.good, after)),
  ];
}

function plainText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? null : JSON.stringify(value);
}

function piecesOf({ before, after }: TextRow, paint: Paint): { before: readonly Piece[]; after: readonly Piece[] } {
  if (before && after && before !== after) return diffPieces(before, after, paint);
  const whole = (text: string | null, tone: Piece["paint"]) =>
    text === null ? [] : wholePieces(text, paint, before === after ? paint.quiet : tone);
  return { before: whole(before, paint.bad), after: whole(after, paint.good) };
}
