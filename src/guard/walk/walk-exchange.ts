import { breakText, type Row, rowWidth, type Span, span, type Tone } from "./walk-text.ts";

/** The colours of our own reports, by their codes. */
const tones: Readonly<Record<string, Tone>> = {
  "1": "strong",
  "2": "quiet",
  "31": "bad",
  "32": "good",
  "33": "caution",
};
const STYLE = "\u001b[";

/** Lines with our own colour codes as rows of at most so many columns; what is longer goes on in the next row. */
export function exchangeRows(lines: readonly string[], cols: number): Row[] {
  return lines.flatMap((line) => broken(colored(line), cols));
}

function colored(line: string): Span[] {
  const [start = "", ...styled] = line.split(STYLE);
  const spans = styled.map((part) => {
    const [, code = "", text = part] = /^([\d;]*)m(.*)$/s.exec(part) ?? [];
    return span(text, tones[code] ?? "plain");
  });
  return [span(start), ...spans];
}

function broken(spans: readonly Span[], cols: number): Row[] {
  const rows: Row[] = [];
  let current: Span[] = [];
  for (const { text, tone } of spans) {
    const [head = "", ...rest] = breakText(text, cols, cols - rowWidth({ spans: current }));
    current.push({ text: head, tone });
    for (const piece of rest) {
      rows.push({ spans: current });
      current = [{ text: piece, tone }];
    }
  }
  return [...rows, { spans: current }];
}
