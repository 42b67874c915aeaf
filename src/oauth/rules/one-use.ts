/** What is good for one use. Times are those of the monotonic clock, in milliseconds. */
export interface OneUse {
  isTaken: boolean;
  /** When whoever used it was answered; null: not yet. */
  answeredAt: number | null;
}

/** Nobody has used it yet. */
export const UNUSED: Readonly<OneUse> = { isTaken: false, answeredAt: null };
/** It is good for nothing any more. */
export const USED: Readonly<OneUse> = { isTaken: true, answeredAt: Number.NEGATIVE_INFINITY };

/**
 * What a request finds that wants to use it: of two that cross, the second finds it in use, however long the first
 * takes; a request that came after the first was answered finds it used.
 * @param arrivedAt of the request, on the monotonic clock
 */
export function foundAs({ isTaken, answeredAt }: OneUse, arrivedAt: number): "unused" | "in-use" | "used" {
  if (!isTaken) return "unused";
  return answeredAt !== null && arrivedAt > answeredAt ? "used" : "in-use";
}
