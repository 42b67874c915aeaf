/**
 * Creates a map whose entries expire, so that no caller can make it grow forever: an entry is dropped after `lifetime`
 * milliseconds, or once there are `limit` newer ones. An app with several processes needs a shared store instead.
 */
export function createExpiringMap(lifetime, limit, now = () => performance.now()) {
  const entries = new Map();
  const makeRoom = () => {
    // A Map keeps entries in the order of insertion, and all have the same lifetime, so the first one expires first.
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
