import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { Line } from "../../protocol/ndjson.ts";

const EXCERPT_CHARACTERS = 80;

/** Why a line is no string record, and what it looks like instead. */
export function explainLine({ number, bytes }: Line, reason: string): string {
  const start = Buffer.from(bytes.subarray(0, 4 * EXCERPT_CHARACTERS))
    .toString("utf8")
    .trim();
  if (start.startsWith("[")) {
    return `line ${number} begins a JSON array: write one record on each line, without [ ] around and commas between`;
  }
  if (start.startsWith("<")) return `line ${number} begins an HTML page: ${excerpt(start)}`;
  return `${reason}; it begins: ${excerpt(start)}`;
}

function excerpt(text: string): string {
  return clip(harmlessLine(text), EXCERPT_CHARACTERS);
}
