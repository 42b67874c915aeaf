import { columnsOf, fold, type Piece } from "./layout.ts";

/** A terminal's colour code (ANSI SGR). */
const colourCode = new RegExp(`(${String.fromCharCode(0x1b)}\\[[\\d;]*m)`);
const RESET = `${String.fromCharCode(0x1b)}[0m`;
/** Further indentation of a folded line's rest. */
const HANGING = 2;

/**
 * Folds lines that are wider than the terminal between words, with the rest indented: a terminal would break them
 * anywhere. Every report is printed through it, even if parts of it are folded already; an address stays whole, so that
 * it can be copied.
 */
export function fitLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((each) =>
    each.split("\n").flatMap((line) => {
      if (columnsOf(line) <= width) return [line];
      const pieces = piecesOf(line);
      const [indentation = ""] = /^ */.exec(pieces.map(({ text }) => text).join("")) ?? [];
      return fold(pieces, width, Math.min(indentation.length + HANGING, Math.floor(width / 3)));
    }),
  );
}

/** Prints lines of a report to stdout. */
export function printLines(
  { out, paint }: { readonly out: (text: string) => void; readonly paint: { readonly width: number } },
  lines: readonly string[],
): void {
  out(`${fitLines(lines, paint.width).join("\n")}\n`);
}

/** Splits a painted line into pieces that are painted separately: a folded line must not leave a colour open. */
function piecesOf(line: string): Piece[] {
  let open: readonly string[] = [];
  return line.split(colourCode).flatMap((part) => {
    if (colourCode.test(part)) {
      const ended = endedBy(part);
      open = ended === null ? [...open, part] : open.filter((code) => !ended.test(code));
      return [];
    }
    if (part === "") return [];
    const start = open.join("");
    return [{ text: part, paint: start === "" ? undefined : (text: string) => `${start}${text}${RESET}` }];
  });
}

/** The codes that this code ends: a weight, an underline, or a colour; null if it begins something. */
function endedBy(code: string): RegExp | null {
  if (/\[0?m$/.test(code)) return /./;
  if (code.endsWith("[22m")) return /\[[12]m$/;
  if (code.endsWith("[24m")) return /\[4m$/;
  return code.endsWith("[39m") ? /\[(?:3[0-8]|9\d)[;\d]*m$/ : null;
}
