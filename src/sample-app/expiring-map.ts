/** A map that forgets on its own, so that no caller can make it grow without end. */
export interface ExpiringMap<Value> {
  /** How many entries are kept, those included that expired since the last `add`. */
  readonly size: number;
  get(key: string): Value | undefined;
  add(key: string, value: Value): void;
  delete(key: string): void;
}

/**
 * An entry is gone after `lifetime` milliseconds, or as soon as `limit` newer ones have come.
 * @param now milliseconds, never going back
 */
export function createExpiringMap<Value>(lifetime: number, limit: number, now: () => number): ExpiringMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly end: number }>();
  const makeRoom = () => {
    // A Map keeps the order in which entries came, and all live equally long: the first is the next to go.
    for (const [key, { end }] of entries) {
      if (now() < end && entries.size < limit) return;
      entries.delete(key);
    }
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => {
      const entry = entries.get(key);
      return entry !== undefined && now() < entry.end ? entry.value : undefined;
    },
    add: (key, value) => {
      entries.delete(key);
      makeRoom();
      entries.set(key, { value, end: now() + lifetime });
    },
    delete: (key) => void entries.delete(key),
  };
}
