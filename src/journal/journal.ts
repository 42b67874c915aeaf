import { refuseFurther } from "../protocol/arguments.ts";
import type { Exchange, RecordedBody } from "./exchange.ts";
import type { JournalFile } from "./journal-file.ts";
import { createListeners } from "./listeners.ts";
import type { JournalRecord } from "./record.ts";

/** Bytes kept of one body. */
export const BODY_LIMIT = 256 * 1024;
/** Records kept in memory. */
export const KEPT_RECORDS = 10_000;
/** The append-only list of what happened, in memory and, if it has a file, on disk. */
export interface Journal {
  /**
   * Adds a record to memory, then to the file, then calls the subscribers. Never throws because of the file or a
   * subscriber.
   */
  append(record: JournalRecord): void;
  /** The records in memory, oldest first: a copy that later appends do not change. */
  list(): readonly JournalRecord[];
  /** The record with this id, or the only one whose id begins with it; null if there are none or several. */
  find(idOrUniquePrefix: string): JournalRecord | null;
  /** Calls the listener for every later record; the returned function removes it. */
  subscribe(listener: (record: JournalRecord) => void): () => void;
  /** Removes the subscribers and closes the file. The records stay readable. */
  close(): void;
}

interface JournalOptions {
  readonly file?: JournalFile;
  /** Bytes kept of each body; longer ones are cut, their `size` stays. Default 256 KiB. */
  readonly bodyLimit?: number;
  /** Records kept in memory; the oldest go first, the file keeps them all. Default 10,000. */
  readonly keep?: number;
  /** Characters of bodies kept in memory, likewise; the newest record always stays. Default 64 Mi. */
  readonly keepCharacters?: number;
}

export function createJournal({
  file,
  bodyLimit = BODY_LIMIT,
  keep = KEPT_RECORDS,
  keepCharacters = 64 * 1024 * 1024,
}: JournalOptions = {}): Journal {
  const records: JournalRecord[] = [];
  let characters = 0;
  const listeners = createListeners<[JournalRecord]>();
  return {
    append(record) {
      const kept = record.type === "exchange" ? withCutBodies(record, bodyLimit) : record;
      records.push(kept);
      characters += bodyCharacters(kept);
      while (records.length > keep || (characters > keepCharacters && records.length > 1)) {
        characters -= bodyCharacters(records.shift());
      }
      file?.append(kept);
      listeners.notify(kept);
    },
    list: (...args: readonly unknown[]) => {
      refuseFurther("journal.list()", args, 0);
      return [...records];
    },
    find: (wanted) => findRecord(records, wanted),
    subscribe: listeners.add,
    close() {
      listeners.clear();
      file?.close();
    },
  };
}

/** @param size of the whole body, if the bytes are only its beginning */
export function recordBody(bytes: Uint8Array, size = bytes.length, limit = BODY_LIMIT): RecordedBody {
  const kept = bytes.subarray(0, limit);
  return { base64: Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString("base64"), size };
}

export function bodyBytes(body: RecordedBody): Buffer {
  return Buffer.from(body.base64, "base64");
}

/** The kept bytes as UTF-8 text, with U+FFFD for invalid bytes; a character that was cut in two is dropped. */
export function bodyText(body: RecordedBody): string {
  const bytes = bodyBytes(body);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: body.size > bytes.length });
}

export function findRecord(records: readonly JournalRecord[], wanted: string): JournalRecord | null {
  const exact = records.findLast((record) => record.id === wanted);
  if (exact !== undefined) return exact;
  const [only, ...others] = records.filter((record) => record.id.startsWith(wanted));
  return only !== undefined && others.length === 0 ? only : null;
}

function bodyCharacters(record: JournalRecord | undefined): number {
  if (record?.type !== "exchange") return 0;
  return record.request.body.base64.length + (record.response?.body.base64.length ?? 0);
}

function withCutBodies(exchange: Exchange, limit: number): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: cut(request.body, limit) },
    response: response && { ...response, body: cut(response.body, limit) },
  };
}

function cut(body: RecordedBody, limit: number): RecordedBody {
  const keptBytes = Buffer.byteLength(body.base64, "base64");
  return keptBytes <= limit ? body : recordBody(bodyBytes(body), body.size, limit);
}
