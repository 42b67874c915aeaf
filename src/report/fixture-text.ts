import type { FixtureResult, FixtureRow } from "../formats/fixture-result.ts";
import { indent, table } from "../output/layout.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { Paint } from "./paint.ts";
import { reasonText } from "./text.ts";

const heads = ["fixture", "format", "strings", "plurals", "with context", "languages", "translations"];

/** The fixtures that were made as a table, and below it what is to be said of each. */
export function fixtureText({ fixtures }: FixtureResult, paint: Paint): string[] {
  const [head = "", ...rows] = table([heads, ...fixtures.map(rowOf)]);
  return [paint.strong(head), ...rows, ...fixtures.flatMap((row) => noteLines(row, paint))];
}

function rowOf(row: FixtureRow): string[] {
  const counts = [row.strings, row.plurals, row.withContext].map(countText);
  const languages = [row.sourceLanguage, ...(row.targetLanguages.length === 0 ? [] : [row.targetLanguages.join(", ")])];
  return [
    harmlessLine(row.fixture ?? "none"),
    row.format,
    ...counts,
    languages.join(" → "),
    countText(row.translations),
  ];
}

function countText(count: number): string {
  return count.toLocaleString("en-US");
}

function noteLines({ file, notes }: FixtureRow, paint: Paint): string[] {
  if (notes.length === 0) return [];
  return [
    "",
    `${harmlessLine(file)}:`,
    ...indent(
      notes.map((note) => paint.caution(reasonText(note))),
      2,
    ),
  ];
}
