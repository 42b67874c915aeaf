import type { StringRecord } from "../../protocol/import-job.ts";
import { CHUNK_BYTES } from "../../web/hosted-files.ts";
import { IdIndex } from "../rules/id-index.ts";
import type { KnownStrings } from "../rules/string-comparison.ts";
import { LinesFile } from "./lines-file.ts";

/** The strings of a job, as sent: records that JSON can write, each with a unique uniqId. */
export interface JobStrings extends KnownStrings {
  /** Bytes as newline-delimited JSON, line feeds included. */
  readonly size: number;
  /** The strings as newline-delimited JSON, from the beginning. */
  open(): AsyncIterable<Uint8Array>;
  close(): void;
}

/** Called with a repeated uniqId; positions count from 0. */
type OnRepeated = (uniqId: string, position: number) => never;

/** A few strings, kept in memory. */
export function stringsInMemory(records: readonly StringRecord[], onRepeated: OnRepeated): JobStrings {
  const index = new IdIndex();
  for (const [position, { uniqId }] of records.entries()) if (index.add(uniqId) >= 0) onRepeated(uniqId, position);
  const line = (position: number) => Buffer.from(JSON.stringify(records[position]));
  return {
    count: records.length,
    size: records.reduce((sum, _, position) => sum + line(position).length + 1, 0),
    find: (uniqId) => index.find(uniqId),
    record: (position) => records[position] as StringRecord,
    line,
    async *open() {
      for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
    },
    close: () => {},
  };
}

/** Stores any number of strings in a temporary file: memory holds only the position and id of each. */
export async function stringsOnDisk(records: AsyncIterable<StringRecord>, onRepeated: OnRepeated): Promise<JobStrings> {
  const strings = new StoredStrings();
  try {
    for await (const record of records) {
      if (!strings.add(record)) onRepeated(record.uniqId, strings.count);
    }
    return strings;
  } catch (error) {
    strings.close();
    throw error;
  }
}

class StoredStrings implements JobStrings {
  readonly #file = new LinesFile();
  readonly #index = new IdIndex();
  /** Where each line starts, and where the file ends. */
  #starts = new Float64Array(1024);
  // A reused buffer: a million lines would leave gigabytes of garbage.
  #memory = new Uint8Array(CHUNK_BYTES);
  #window = this.#memory.subarray(0, 0);
  #windowStart = 0;
  #last = -1;
  count = 0;

  get size(): number {
    return this.#file.size;
  }

  /** False if an earlier string has the same uniqId. */
  add(record: StringRecord): boolean {
    if (this.#index.add(record.uniqId) >= 0) return false;
    if (this.count + 1 === this.#starts.length) {
      const longer = new Float64Array(this.#starts.length * 2);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    this.#starts[this.count + 1] = this.#start(this.count) + this.#file.add(JSON.stringify(record));
    this.count++;
    return true;
  }

  find(uniqId: string): number {
    return this.#index.find(uniqId);
  }

  record(position: number): StringRecord {
    return JSON.parse(Buffer.from(this.line(position)).toString());
  }

  // Synchronous: the lines are in the system's cache, and a million promises would take longer than the reads.
  line(position: number): Uint8Array {
    const start = this.#start(position);
    const end = this.#start(position + 1) - 1;
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) {
      // Strings usually come back in order; if not, only the line itself is read.
      const length = position === this.#last + 1 ? Math.max(end - start, CHUNK_BYTES) : end - start;
      if (length > this.#memory.length) this.#memory = new Uint8Array(length);
      this.#window = this.#memory.subarray(0, this.#file.read(start, this.#memory.subarray(0, length)));
      this.#windowStart = start;
    }
    this.#last = position;
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }

  #start(position: number): number {
    return this.#starts[position] ?? 0;
  }

  open(): AsyncIterable<Uint8Array> {
    return this.#file.open();
  }

  close(): void {
    this.#file.close();
  }
}
