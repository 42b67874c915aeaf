import type { Verdict } from "./check.ts";

/** Larger sets are random cases, whose smallest one is found in another way. */
const MOST_ITEMS = 100;

/**
 * The items behind a finding, with the decisive one first: the one that already leads to the final verdict. People look
 * at the beginning, and a check may try a dozen variants of which the app mishandles only one.
 * @param judge the verdict for the first of the items only
 */
export function decisiveFirst<Item>(
  items: readonly Item[],
  verdict: Verdict,
  judge: (first: readonly Item[]) => Verdict,
): readonly Item[] {
  const isFinding = verdict.result === "fail" || verdict.result === "warn";
  if (!isFinding || items.length > MOST_ITEMS) return items;
  const at = items.findIndex((_, index) => {
    const sooner = judge(items.slice(0, index + 1));
    return isSameVerdict(sooner, verdict);
  });
  const decisive = items.slice(at, at + 1);
  return at < 1 ? items : [...decisive, ...items.filter((item) => !decisive.includes(item))];
}

/** Whether two verdicts have the same result for the same reason. */
export function isSameVerdict(one: Verdict, other: Verdict): boolean {
  return one.result === other.result && one.reason === other.reason;
}
