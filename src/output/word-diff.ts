import { diffArrays } from "diff";

/** A stretch of two texts: what is the same in both, or what stands in the place of what; a side may be empty. */
export interface Part {
  readonly before: string;
  readonly after: string;
}

/** More words than these, put in and left out, are no edit of a text but another text. */
const MOST_EDITS = 400;
/** Of a longer text only the part that differs is split into words, with some words around it. */
const LONG = 2000;
const AROUND = 200;
/** A longer part is split at white space only: finding the words of a text takes time that grows with its square. */
const TOO_LONG_FOR_WORDS = 20_000;
/** With less than this share in common, two texts are easier to read whole. */
const LEAST_IN_COMMON = 0.25;

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * What differs between two texts, word by word, in their order; words are found in languages without spaces, too, and
 * a placeholder or a tag is one word. Texts that have little in common, or differ too much, are one part. The time is
 * bounded: linear in the length of the texts.
 */
export function wordDiff(before: string, after: string): Part[] {
  if (before === after) return [{ before, after }];
  const [start, end] = sharedEnds(before, after);
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const words = Math.max(old.length, now.length) > TOO_LONG_FOR_WORDS ? chunksOf : wordsOf;
  const runs = diffArrays(words(old), words(now), { maxEditLength: MOST_EDITS });
  if (runs === undefined) return [{ before, after }];
  const parts: Part[] = [same(before.slice(0, start))];
  for (const { value, added, removed } of runs) {
    const text = value.join("");
    join(parts, { before: added ? "" : text, after: removed ? "" : text });
  }
  join(parts, same(before.slice(before.length - end)));
  const bridged = withoutBridges(parts).filter((part) => part.before !== "" || part.after !== "");
  return hasMuchInCommon(bridged, Math.max(before.length, after.length)) ? bridged : [{ before, after }];
}

export function isSame({ before, after }: Part): boolean {
  return before === after;
}

function same(text: string): Part {
  return { before: text, after: text };
}

/** Adds a part, together with the last one where both are the same or both differ. */
function join(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last === undefined || isSame(last) !== isSame(part)) parts.push(part);
  else parts[parts.length - 1] = { before: last.before + part.before, after: last.after + part.after };
}

/** Two changes with nothing but a space or a sign between them are one. */
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
  return inCommon >= length * LEAST_IN_COMMON;
}

/** How much of two long texts is the same at their start and end, less some words; nothing of short ones. */
function sharedEnds(before: string, after: string): [start: number, end: number] {
  const shorter = Math.min(before.length, after.length);
  if (shorter < LONG) return [0, 0];
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  return [
    atCharacter(before, Math.max(0, start - AROUND), -1),
    before.length - atCharacter(before, Math.min(before.length, before.length - end + AROUND), 1),
  ];
}

/** The index, moved by `step` where it would split a surrogate pair. */
export function atCharacter(text: string, index: number, step: 1 | -1): number {
  const isInPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
  return index > 0 && isInPair ? index + step : index;
}

/** Placeholders, tags, white space and what stands between them. */
function chunksOf(text: string): string[] {
  return text.match(/\{[^{}]{1,60}\}|<[^<>]{1,60}>|\s|[^\s{<]{1,500}|[{<]/gu) ?? [];
}

function wordsOf(text: string): string[] {
  return chunksOf(text).flatMap((chunk) =>
    /^(?:\w+|\s|\{.+\}|<.+>)$/su.test(chunk) ? chunk : Array.from(segmenter.segment(chunk), ({ segment }) => segment),
  );
}
