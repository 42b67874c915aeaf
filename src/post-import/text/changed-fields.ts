import { diffPieces, wholePieces } from "../../output/diff-pieces.ts";
import type { Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import type { FieldChange } from "../import-result.ts";
import { nameText, paragraph } from "./import-words.ts";

/** The words for the two sides of a comparison, and for its changes. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly changed: string;
  readonly added: string;
  readonly removed: string;
}

export const whatTheAppDid: Sides = {
  before: "before",
  after: "after",
  changed: "changed",
  added: "added",
  removed: "removed",
};
export const againstExpected: Sides = {
  before: "expected",
  after: "received",
  changed: "different",
  added: "not expected",
  removed: "missing",
};

/** How changes are shown. */
export interface ChangeView {
  readonly sides: Sides;
  readonly paint: Paint;
  readonly details: boolean;
}

/** A field that is neither a text nor a status, on one line: before and after. */
export function fieldLines({ field, before, after }: FieldChange, view: ChangeView): string[] {
  const piecesOf = field === "labels" ? labelPieces : field === "attributes" ? attributePieces : valuePieces;
  return paragraph(view.paint, `${nameText(field)}: `, ...piecesOf(before, after, view));
}

function valuePieces(before: unknown, after: unknown, { sides, paint }: ChangeView): Piece[] {
  const shown =
    typeof before === "string" && typeof after === "string" && before !== "" && after !== ""
      ? diffPieces(before, after, paint)
      : {
          before: wholePieces(valueText(before), paint, paint.bad),
          after: wholePieces(valueText(after), paint, paint.good),
        };
  if (sides === whatTheAppDid) return [...shown.before, { text: " → " }, ...shown.after];
  return [{ text: `${sides.before} ` }, ...shown.before, { text: `, ${sides.after} ` }, ...shown.after];
}

/** Texts as they are; JSON for other values and for the empty text. */
function valueText(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : (JSON.stringify(value) ?? "null");
}

function labelPieces(before: unknown, after: unknown, { sides, paint }: ChangeView): Piece[] {
  const [old, now] = [labelsOf(before), labelsOf(after)];
  const side = (name: string) => (sides === whatTheAppDid ? "" : `${name} `);
  const added = without(now, old).map((label) => ({
    text: `${side(sides.after)}+${nameText(label)}`,
    paint: paint.good,
  }));
  const removed = without(old, now).map((label) => ({
    text: `${side(sides.before)}−${nameText(label)}`,
    paint: paint.bad,
  }));
  return [...added, ...removed].flatMap((piece, index) => (index === 0 ? [piece] : [{ text: " " }, piece]));
}

function labelsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((label) => (typeof label === "string" ? label : valueText(label))) : [];
}

/** Labels of the first list that the second one lacks; repeated labels count separately. */
function without(labels: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return labels.filter((label) => {
    const at = left.indexOf(label);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function attributePieces(before: unknown, after: unknown, view: ChangeView): Piece[] {
  return membersOf(before, after)
    .filter(([, old, now]) => JSON.stringify(old) !== JSON.stringify(now))
    .flatMap(([name, old, now], index) => [
      { text: `${index === 0 ? "" : ", "}${nameText(name)} ` },
      ...valuePieces(old ?? null, now ?? null, view),
    ]);
}

/** The members of two objects, with both values of each; none if they are not objects. */
export function membersOf(before: unknown, after: unknown): [name: string, before: unknown, after: unknown][] {
  const [old, now] = [before, after].map(
    (value) => new Map<string, unknown>(typeof value === "object" && value !== null ? Object.entries(value) : []),
  );
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].map((name) => [name, old?.get(name), now?.get(name)]);
}
