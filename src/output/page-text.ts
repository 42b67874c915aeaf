import { clip, harmlessLine } from "../protocol/harmless.ts";

/** How many characters at the beginning of a page are read. */
const READ_CHARACTERS = 4096;
const SHOWN_CHARACTERS = 120;

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/**
 * How an HTML page begins for a reader, on one line: its title and first words; "" if it has none. Enough to recognize
 * an error page: a parser, which every command would have to load, would add nothing.
 */
export function pageText(html: string): string {
  const text = html
    .slice(0, READ_CHARACTERS)
    .replaceAll(/<(script|style)\b.*?<\/\1\s*>/gis, " ")
    .replaceAll(/<[^<>]*>?/g, " ")
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => characters[name] ?? "");
  return clip(harmlessLine(text.replaceAll(/\s+/g, " ").trim()), SHOWN_CHARACTERS);
}
