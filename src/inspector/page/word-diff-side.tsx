import type { ReactNode } from "react";
import { isSame, type Part, wordDiff } from "../../output/word-diff.ts";
import { harmless } from "../../protocol/harmless.ts";

/** What differs between two texts, word by word; null where there are no two, or nothing differs. */
export function differingParts(before: string | null, after: string | null): readonly Part[] | null {
  return before !== null && after !== null && before !== after ? wordDiff(before, after) : null;
}

interface WordDiffSideProps {
  readonly side: keyof Part;
  /** All of this side. */
  readonly whole: string;
  readonly parts: readonly Part[] | null;
}

/** One of two texts, with the words marked that the other has not. */
export function WordDiffSide({ side, whole, parts }: WordDiffSideProps): ReactNode {
  const Mark = side === "before" ? "del" : "ins";
  if (parts === null) return harmless(whole);
  return parts.map((part, index) => {
    const text = harmless(part[side]);
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
    return isSame(part) || text === "" ? text : <Mark key={index}>{text}</Mark>;
  });
}
