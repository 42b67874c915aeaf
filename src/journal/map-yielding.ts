import { setImmediate } from "node:timers/promises";

/**
 * Maps items in order, yielding to signals, timers and sockets after each.
 * @throws the reason of the signal once it is aborted
 */
export async function mapYielding<Item, Result>(
  items: Iterable<Item>,
  signal: AbortSignal,
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(work(item));
    await setImmediate();
    signal.throwIfAborted();
  }
  return results;
}
