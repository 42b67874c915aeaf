import { UsageError } from "../protocol/usage-error.ts";
import type { HostedFile } from "./hosted-files.ts";

/** Bytes that are read and sent at a time: 256 KiB. */
export const CHUNK_BYTES = 256 * 1024;

/** One read of a file, in chunks of 256 KiB, the last of which may be smaller; and how far it has come. */
export interface Reading extends AsyncIterable<Uint8Array> {
  /** The first chunk; empty before it was taken. */
  readonly beginning: Uint8Array;
  /** Bytes that were taken. */
  readonly size: number;
  /** Whether the last byte was taken. */
  readonly isWhole: boolean;
  /** Whether the file was to blame for its end: it cannot be read, or has another size than it said. */
  readonly hasFailed: boolean;
}

/** Reads a file once from its beginning. What is not as large as it said throws before its last chunk is out. */
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

/** The pieces of a file as long as they are no more than it said; throws where they are more, or less. */
async function* ofItsSize(file: HostedFile): AsyncGenerator<Uint8Array> {
  const { name, size } = file;
  let came = 0;
  const check = (isRight: boolean) => {
    if (isRight) return;
    const summary = `${name} no longer has the ${size?.toLocaleString("en-US")} bytes that it had when the job began`;
    throw new UsageError("file-changed", summary, "leave it as it is during the job");
  };
  for await (const piece of file.open()) {
    came += piece.length;
    check(size === null || came <= size);
    yield piece;
  }
  check(size === null || came === size);
}

/** The same bytes in chunks. A full one is held back until it is known whether it is the last, or what follows throws. */
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
