import { diffPieces, wholePieces } from "../../output/diff-pieces.ts";
import { fold, type Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { StringChange } from "../import-result.ts";

type FieldChange = StringChange["fields"][number];

/** What the two sides of a comparison are called. */
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

const NAME_CHARACTERS = 60;

/** A name that an app chose, such as the id of a language, on a line with others. */
export function nameText(name: string): string {
  return clip(harmlessLine(name), NAME_CHARACTERS);
}

/** A field that is neither a text nor a status, on one line: what it was and what it is. */
export function fieldLines({ field, before, after }: FieldChange, sides: Sides, paint: Paint): string[] {
  const name: Piece = { text: `${nameText(field)}: ` };
  const pieces =
    field === "labels"
      ? labelPieces(before, after, sides, paint)
      : field === "attributes"
        ? attributePieces(before, after, sides, paint)
        : valuePieces(before, after, sides, paint);
  return fold([name, ...pieces], paint.width, 2);
}

function valuePieces(before: unknown, after: unknown, sides: Sides, paint: Paint): Piece[] {
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

/** What is no text as JSON, and so an empty text. */
function valueText(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : (JSON.stringify(value) ?? "null");
}

function labelPieces(before: unknown, after: unknown, sides: Sides, paint: Paint): Piece[] {
  const [old, now] = [labelsOf(before), labelsOf(after)];
  const isExpectation = sides !== whatTheAppDid;
  const removed = without(old, now).map((label) => ({
    text: `${isExpectation ? `${sides.before} ` : ""}−${nameText(label)}`,
    paint: paint.bad,
  }));
  const added = without(now, old).map((label) => ({
    text: `${isExpectation ? `${sides.after} ` : ""}+${nameText(label)}`,
    paint: paint.good,
  }));
  return [...added, ...removed].flatMap((piece, index) => (index === 0 ? [piece] : [{ text: " " }, piece]));
}

function labelsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((label) => (typeof label === "string" ? label : valueText(label))) : [];
}

/** Labels of the first list that the second one lacks; one that is there twice counts twice. */
function without(labels: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return labels.filter((label) => {
    const at = left.indexOf(label);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function attributePieces(before: unknown, after: unknown, sides: Sides, paint: Paint): Piece[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)),
  );
  return names.flatMap((name, index) => [
    { text: `${index === 0 ? "" : ", "}${nameText(name)} ` },
    ...valuePieces(old.get(name) ?? null, now.get(name) ?? null, sides, paint),
  ]);
}

export function membersOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}
