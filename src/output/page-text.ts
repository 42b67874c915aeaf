import { clip, harmlessLine } from "../protocol/harmless.ts";

/** What lies behind this much is no beginning. */
const READ_CHARACTERS = 4096;
const SHOWN_CHARACTERS = 120;

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/**
 * How an HTML page begins for who looks at it, on one line: its title and the first words; "" where it has none. An
 * error page is to be told from another: a parser, which every command would have to load, would say no more.
 */
export function pageText(html: string): string {
  const text = html
    .slice(0, READ_CHARACTERS)
    .replaceAll(/<(script|style)\b.*?<\/\1\s*>/gis, " ")
    .replaceAll(/<[^<>]*>?/g, " ")
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => characters[name] ?? "");
  return clip(harmlessLine(text.replaceAll(/\s+/g, " ").trim()), SHOWN_CHARACTERS);
}
