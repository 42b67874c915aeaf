/** Joins bytes that arrive in pieces, however small, without copying them again and again. */
export interface ByteCollector {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** What was appended since the last call; leaves the collector empty. */
  take(): Buffer;
}

const FIRST_CAPACITY = 4096;

/** Creates an empty collector. A list of chunks would need over a hundred bytes for a chunk of one byte. */
export function collectBytes(): ByteCollector {
  let room = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(bytes) {
      if (length + bytes.length > room.length) {
        const larger = Buffer.alloc(Math.max(FIRST_CAPACITY, 2 * room.length, length + bytes.length));
        room.copy(larger, 0, 0, length);
        room = larger;
      }
      room.set(bytes, length);
      length += bytes.length;
    },
    take() {
      const taken = room.subarray(0, length);
      room = Buffer.alloc(0);
      length = 0;
      return taken;
    },
  };
}
