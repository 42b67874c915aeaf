import type { Verdict } from "./check.ts";

/** More of them are random cases, of which the smallest is found otherwise. */
const MOST_ITEMS = 100;

/**
 * What a finding rests on, with what decided it first: the item from which on the verdict is what it is with all of
 * them. People look at the beginning, and a check may try a dozen ways of which the app takes one wrongly.
 * @param judge the verdict that the first of the items alone give
 */
export function decisiveFirst<Item>(
  items: readonly Item[],
  { result, reason }: Verdict,
  judge: (first: readonly Item[]) => Verdict,
): readonly Item[] {
  const isFinding = result === "fail" || result === "warn";
  if (!isFinding || items.length > MOST_ITEMS) return items;
  const at = items.findIndex((_, index) => {
    const sooner = judge(items.slice(0, index + 1));
    return sooner.result === result && sooner.reason === reason;
  });
  const decisive = items.slice(at, at + 1);
  return at < 1 ? items : [...decisive, ...items.filter((item) => !decisive.includes(item))];
}
