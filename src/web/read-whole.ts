import { UsageError } from "../protocol/usage-error.ts";
import type { HostedFile } from "./hosted-files.ts";

/** Bytes that are read and sent at a time: 256 KiB. */
export const CHUNK_BYTES = 256 * 1024;

/** One read of a file and its progress. Chunks have 256 KiB; the last may be smaller. */
export interface Reading extends AsyncIterable<Uint8Array> {
  /** The first chunk; empty before it was read. */
  readonly beginning: Uint8Array;
  /** Bytes read so far. */
  readonly size: number;
  /** Whether the last byte was read. */
  readonly isWhole: boolean;
  /** Whether the file itself failed: it cannot be read, or its size has changed. */
  readonly hasFailed: boolean;
}

/** Reads a file once from its beginning. A file whose size has changed throws before its last chunk is given out. */
export function readWhole(file: HostedFile): Reading {
  const reading = {
    beginning: new Uint8Array() as Uint8Array,
    size: 0,
    isWhole: false,
    hasFailed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for await (const chunk of inChunks(ofItsSize(file))) {
          if (reading.size === 0) reading.beginning = chunk;
          reading.size += chunk.length;
          yield chunk;
        }
        reading.isWhole = true;
      } catch (error) {
        reading.hasFailed = true;
        throw error;
      }
    },
  };
  return reading;
}

/** The pieces of a file; throws if they are more or fewer bytes than its size. */
async function* ofItsSize(file: HostedFile): AsyncGenerator<Uint8Array> {
  const { name, size } = file;
  let received = 0;
  const check = (isRight: boolean) => {
    if (isRight) return;
    const summary = `${name} no longer has the ${size?.toLocaleString("en-US")} bytes that it had when the job began`;
    throw new UsageError("file-changed", summary, "do not change it while the job runs");
  };
  for await (const piece of file.open()) {
    received += piece.length;
    check(size === null || received <= size);
    yield piece;
  }
  check(size === null || received === size);
}

/** The same bytes in chunks. A full chunk is held back until the next bytes arrive, as reading them may throw. */
async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for await (const piece of pieces) {
    for (let taken = 0; taken < piece.length; ) {
      if (filled === CHUNK_BYTES) {
        yield chunk;
        chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        filled = 0;
      }
      const part = piece.subarray(taken, taken + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.length;
      taken += part.length;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
