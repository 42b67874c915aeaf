/**
 * Makes a map that forgets, so that no caller can make it grow without end: an entry is gone after `lifetime`
 * milliseconds, or when `limit` newer ones have come. An app of several processes needs a store that they share.
 */
export function createExpiringMap(lifetime, limit, now = () => performance.now()) {
  const entries = new Map();
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
    delete: (key) => entries.delete(key),
  };
}
