import { diffArrays } from "diff";

/** A stretch of two texts: the same in both, or different; either side may be empty. */
export interface Part {
  readonly before: string;
  readonly after: string;
}

/** With more words added and removed than this, it is another text rather than an edit. */
const MAX_EDITS = 400;
/** A longer text is split only at white space: finding words in languages without spaces takes long. */
const TOO_LONG_FOR_WORDS = 20_000;
/** With less than this share in common, two texts are easier to read separately. */
const MIN_SHARED = 0.25;

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * The differences between two texts, word by word, in order; words are also found in languages without spaces, and a
 * placeholder or a tag is one word. Texts that have little in common, or differ too much, are one part. Takes time
 * linear in the length of the texts.
 */
export function wordDiff(before: string, after: string): Part[] {
  if (before === after) return [{ before, after }];
  const words = Math.max(before.length, after.length) > TOO_LONG_FOR_WORDS ? chunksOf : wordsOf;
  const runs = diffArrays(words(before), words(after), { maxEditLength: MAX_EDITS });
  if (runs === undefined) return [{ before, after }];
  const parts: Part[] = [];
  for (const { value, added, removed } of runs) {
    const text = value.join("");
    join(parts, { before: added ? "" : text, after: removed ? "" : text });
  }
  const bridged = withoutBridges(parts);
  return hasMuchInCommon(bridged, Math.max(before.length, after.length)) ? bridged : [{ before, after }];
}

/** The differences between two texts, word by word; null if one is missing, or nothing differs. */
export function differingParts(before: string | null, after: string | null): readonly Part[] | null {
  return before !== null && after !== null && before !== after ? wordDiff(before, after) : null;
}

export function isSame({ before, after }: Part): boolean {
  return before === after;
}

/** Adds a part, merged with the last one if both are the same or both differ. */
function join(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last === undefined || isSame(last) !== isSame(part)) parts.push(part);
  else parts[parts.length - 1] = { before: last.before + part.before, after: last.after + part.after };
}

/** Merges two changes with nothing but a space or a symbol between them. */
function withoutBridges(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let isAfterBridge = false;
  for (const [index, part] of parts.entries()) {
    const isBridge = isSame(part) && index > 0 && index < parts.length - 1 && /^[^\p{L}\p{N}]{1,2}$/u.test(part.before);
    const last = joined.at(-1);
    if (last !== undefined && (isBridge || isAfterBridge))
      joined[joined.length - 1] = { before: last.before + part.before, after: last.after + part.after };
    else joined.push(part);
    isAfterBridge = isBridge;
  }
  return joined;
}

function hasMuchInCommon(parts: readonly Part[], length: number): boolean {
  const inCommon = parts.filter(isSame).reduce((sum, { before }) => sum + before.trim().length, 0);
  return inCommon >= length * MIN_SHARED;
}

/** Splits into placeholders, tags, white space and the text between them. */
function chunksOf(text: string): string[] {
  return text.match(/\{[^{}]{1,60}\}|<[^<>]{1,60}>|\s|[^\s{<]{1,500}|[{<]/gu) ?? [];
}

function wordsOf(text: string): string[] {
  return chunksOf(text).flatMap((chunk) =>
    /^(?:\w+|\s|\{.+\}|<.+>)$/su.test(chunk) ? chunk : Array.from(segmenter.segment(chunk), ({ segment }) => segment),
  );
}
