import type { ReactNode } from "react";
import { isSame, type Part } from "../../output/word-diff.ts";
import { harmless } from "../../protocol/harmless.ts";

interface WordDiffSideProps {
  readonly side: keyof Part;
  /** The complete text of this side. */
  readonly whole: string;
  readonly parts: readonly Part[] | null;
}

/** One of two texts, with the words marked that the other lacks. */
export function WordDiffSide({ side, whole, parts }: WordDiffSideProps): ReactNode {
  const Mark = side === "before" ? "del" : "ins";
  if (parts === null) return harmless(whole);
  return parts.map((part, index) => {
    const text = harmless(part[side]);
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
    return isSame(part) || text === "" ? text : <Mark key={index}>{text}</Mark>;
  });
}
