import { fold, indent, type Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { ImportedJob } from "../import-result.ts";

const NAME_CHARACTERS = 60;
const MAX_LANGUAGES = 5;

/** Pieces on one line, or folded with further lines indented. */
export function paragraph(paint: Paint, ...pieces: readonly (string | Piece)[]): string[] {
  const asPieces = pieces.map((piece) => (typeof piece === "string" ? { text: piece } : piece));
  return fold(asPieces, paint.width, 2);
}

/** Indented lines, made for the remaining width. */
export function inset(columns: number, paint: Paint, lines: (paint: Paint) => string[]): string[] {
  return indent(lines({ ...paint, width: paint.width - columns }), columns);
}

/** A name that an app chose, such as a language id, on a line with others. */
export function nameText(name: string): string {
  return clip(harmlessLine(name), NAME_CHARACTERS);
}

/** Why the platform called the app, in words. */
export function occasionText({ occasion, languages }: ImportedJob): string {
  const shown = languages.length <= MAX_LANGUAGES + 1 ? languages : languages.slice(0, MAX_LANGUAGES);
  const rest = languages.length - shown.length;
  const list = harmlessLine(shown.join(", ")) + (rest === 0 ? "" : `, … and ${rest} more`);
  return {
    "source-upload": "new source file",
    "source-update": "update of a source file",
    "translation-upload": `translation upload (${list})`,
    multilingual: `multilingual file (${list})`,
  }[occasion];
}

/** How many strings were changed, added, removed and left unchanged; hidden and relabelled ones only if there are any. */
export function countPieces({ changes }: ImportedJob, paint: Paint): Piece[] {
  const { changed, added, removed, unchanged, hidden, relabelled } = changes;
  const isHiddenOfChanged = hidden > 0 && added === 0;
  const details = [
    ...(isHiddenOfChanged ? [`${withCommas(hidden)} hidden`] : []),
    ...(relabelled > 0 ? [`${withCommas(relabelled)} relabelled`] : []),
  ];
  const piece = (count: number, word: string, tone: Piece["paint"]): Piece => {
    return { text: `${withCommas(count)} ${word}`, paint: count === 0 ? undefined : tone };
  };
  return [
    piece(changed, "changed", paint.strong),
    { text: `${details.length === 0 ? "" : ` (${details.join(", ")})`}, ` },
    piece(added, "added", paint.strong),
    { text: ", " },
    piece(removed, "removed", paint.caution),
    { text: `, ${withCommas(unchanged)} unchanged` },
    { text: hidden > 0 && !isHiddenOfChanged ? `; ${withCommas(hidden)} hidden` : "" },
  ];
}

/** Whether the app returned none of the sent strings: then nothing is left to translate. */
export function isEmptied({ outcome, sent, changes }: ImportedJob): boolean {
  return outcome === "imported" && sent.strings > 0 && changes.removed === sent.strings;
}
