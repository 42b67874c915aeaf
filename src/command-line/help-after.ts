import type { AddHelpTextContext } from "commander";
import { columnsOf, fold, indent } from "../output/layout.ts";

/** Width without a terminal. */
export const USUAL_WIDTH = 80;

/** What follows the options of a command in its help: examples, and a text with its author's line breaks. */
export function helpAfter(examples: readonly string[], text: string): (context: AddHelpTextContext) => string {
  const commands = examples.map((line) => `  $ ${line}`);
  const lines = ["Examples:", ...commands, ...(text === "" ? [] : text.split("\n"))];
  return (context) => ["", ...foldHelp(lines, widthOf(context))].join("\n");
}

function widthOf({ error, command }: AddHelpTextContext): number {
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
  return (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? USUAL_WIDTH;
}

/** A name, and what it means: a row of a table. */
const row = /^( +\S+ {2,})\S/;
/** Code or a command, and a comment after it. */
const commented = /^( +)(\S.*?) +(# .*)$/;

/**
 * The lines for a terminal of this width. Lines of prose are joined and folded again, rows of a table are folded next
 * to their name. Code and commands are copied as a whole: if one is too wide, only the comment moves: closer, or to the
 * line above.
 */
function foldHelp(lines: readonly string[], width: number): string[] {
  return paragraphsOf(lines).flatMap((line) => {
    if (columnsOf(line) <= width) return [line];
    const [, name] = row.exec(line) ?? [];
    if (name !== undefined) return fold(line, width, Math.min(name.length, Math.floor(width / 3)));
    const [, inset = "", code = "", comment] = commented.exec(line) ?? [];
    if (comment !== undefined) {
      const closer = `${inset}${code}  ${comment}`;
      if (columnsOf(closer) <= width) return [closer];
      const above = fold(comment, width - inset.length - 2).map((part, index) => (index === 0 ? part : `# ${part}`));
      return [...indent(above, inset.length), inset + code];
    }
    return line.startsWith(" ") ? [line] : fold(line, width);
  });
}

/** Joins prose that continues on the next line. */
function paragraphsOf(lines: readonly string[]): string[] {
  const isProse = (line: string | undefined) => line !== undefined && /^[^ ]/.test(line) && line !== "Examples:";
  const joined: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (isProse(line) && isProse(lines[index - 1])) joined.push(`${joined.pop()} ${line}`);
    else joined.push(line);
  }
  return joined;
}
