import type { StringRecord } from "../../protocol/import-job.ts";
import { CHUNK_BYTES } from "../../web/read-whole.ts";
import { createIdIndex } from "../rules/id-index.ts";
import type { KnownStrings } from "../rules/string-comparison.ts";
import { createLinesFile, type LinesFile } from "./lines-file.ts";

/** The strings of a job, as they are sent: records that JSON can write, each with a uniqId of its own. */
export interface JobStrings extends KnownStrings {
  /** Bytes as newline-delimited JSON, each line with its end. */
  readonly size: number;
  /** The strings as newline-delimited JSON, from the beginning. */
  open(): AsyncIterable<Uint8Array>;
  close(): void;
}

/** Told of a uniqId that an earlier string has as well; positions count from 0. */
export type OnRepeated = (uniqId: string, position: number) => never;

/** A few strings, kept as they are. */
export function stringsInMemory(records: readonly StringRecord[], onRepeated: OnRepeated): JobStrings {
  const index = createIdIndex();
  for (const [position, { uniqId }] of records.entries()) if (index.add(uniqId) >= 0) onRepeated(uniqId, position);
  const line = (position: number) => Buffer.from(JSON.stringify(records[position]));
  return {
    count: records.length,
    size: records.reduce((sum, _, position) => sum + line(position).length + 1, 0),
    find: index.find,
    record: (position) => records[position] as StringRecord,
    line,
    async *open() {
      for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
    },
    close: () => {},
  };
}

/** Strings of any number, kept in a temporary file: of each, memory holds its place and its id alone. */
export async function stringsOnDisk(records: AsyncIterable<StringRecord>, onRepeated: OnRepeated): Promise<JobStrings> {
  const file = createLinesFile();
  try {
    const index = createIdIndex();
    const places = createPlaces();
    for await (const record of records) {
      if (index.add(record.uniqId) >= 0) onRepeated(record.uniqId, places.count);
      places.add(file.add(JSON.stringify(record)));
    }
    return { ...reading(file, places), find: index.find, close: file.close };
  } catch (error) {
    file.close();
    throw error;
  }
}

function reading(file: LinesFile, places: Places): Omit<JobStrings, "find" | "close"> {
  // Always the same memory: a million lines would leave gigabytes to be collected.
  let memory = new Uint8Array(CHUNK_BYTES);
  let window = memory.subarray(0, 0);
  let windowStart = 0;
  let last = -1;
  // Read synchronously: the lines come from the system's cache, and a million promises would take longer than they.
  const line = (position: number): Uint8Array => {
    const start = places.start(position);
    const end = places.start(position + 1) - 1;
    if (start < windowStart || end > windowStart + window.length) {
      // Strings come back in order as a rule; where they don't, only the one that is asked for is read.
      const length = position === last + 1 ? Math.max(end - start, CHUNK_BYTES) : end - start;
      if (length > memory.length) memory = new Uint8Array(length);
      window = memory.subarray(0, file.read(start, memory.subarray(0, length)));
      windowStart = start;
    }
    last = position;
    return window.subarray(start - windowStart, end - windowStart);
  };
  return {
    count: places.count,
    size: file.size,
    line,
    record: (position) => JSON.parse(Buffer.from(line(position)).toString()) as StringRecord,
    open: file.open,
  };
}

interface Places {
  readonly count: number;
  /** Adds a line of so many bytes, its end included. */
  add(bytes: number): void;
  /** Where a line begins; of the position after the last one, where the file ends. */
  start(position: number): number;
}

function createPlaces(): Places {
  let starts = new Float64Array(1024);
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(bytes) {
      if (count + 1 === starts.length) {
        const longer = new Float64Array(starts.length * 2);
        longer.set(starts);
        starts = longer;
      }
      starts[count + 1] = (starts[count] ?? 0) + bytes;
      count++;
    },
    start: (position) => starts[position] ?? 0,
  };
}
