/**
 * Characters that control a terminal or hide text from a reader: controls (C0, DEL, C1), lone surrogates, bidi
 * controls, separators that break lines, invisible format characters and tags. ZWNJ and ZWJ stay because Persian, Indic
 * scripts and emoji need them.
 */
const harmful =
  /\p{Cc}|\p{Cs}|\p{Bidi_Control}|[\u200B\u2028\u2029\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = "␡";

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === 0x7f) return DELETE_PICTURE;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Makes text from an app safe for a terminal, a log or a report: characters that could move the cursor, change the
 * reading order or hide text become visible (ESC as ␛, U+202E as `<U+202E>`). Line feeds stay; tabs do not. Letters of
 * every script, combining marks and emoji stay. Idempotent.
 */
export function harmless(text: string): string {
  return text.replace(harmful, (character) => (character === "\n" ? character : visible(character)));
}

/** Like {@link harmless}, for a single line: line feeds become ␊ too. */
export function harmlessLine(text: string): string {
  return text.replace(harmful, visible);
}

/**
 * Shortens text to at most `maxChars` code points (at least 1), the last being `…` if something was cut. A grapheme is
 * kept whole or dropped whole, so a pile of combining marks cannot exceed the limit.
 */
export function clip(text: string, maxChars: number): string {
  // A code point takes at most two code units: this much decides, however long the text is.
  const head = text.slice(0, 2 * maxChars + 2);
  if ([...head].length <= maxChars) return text;
  let kept = "";
  let count = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(head)) {
    count += [...segment].length;
    if (count >= maxChars) break;
    kept += segment;
  }
  return `${kept}…`;
}
