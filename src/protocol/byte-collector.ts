/** Bytes that come in pieces, however small, put together without copying them again and again. */
export interface ByteCollector {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** What was appended since the last time; the collector is empty then. */
  take(): Buffer;
}

const FIRST_CAPACITY = 4096;

/** Makes an empty collector. A list of pieces would take a hundred bytes and more for a piece of one. */
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
