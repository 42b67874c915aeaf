import { open, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Outcome, RecordedBody, RecordedCheck } from "../journal/exchange.ts";
import { recordBody } from "../journal/journal.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type IncomingRequest, recordExchange } from "./incoming-request.ts";

/** A file that the platform can serve to the app: `contentUrl` or `stringsUrl` of a job (interface 2.3, 8). */
export interface HostedFile {
  readonly name: string;
  readonly contentType: string;
  /** In bytes; null if not known before it is read. */
  readonly size: number | null;
  /** A status other than 200. */
  readonly status?: number;
  /** Headers that replace the usual ones or are added; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends every piece as soon as it is read, instead of equal chunks. */
  readonly inPieces?: boolean;
  /**
   * Reads the whole file again, in pieces of any size; stopping early closes it. Throws BrokenOff to break off the
   * transfer deliberately.
   */
  open(): AsyncIterable<Uint8Array>;
}

/** Thrown by a file's `open` to break off its transfer after what was read so far. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

/** A file that is served until this is disposed of. */
export interface Hosting extends Disposable {
  /** The unguessable address that the app fetches it from. */
  readonly url: string;
  /** How often the whole file has been sent. */
  readonly reads: number;
  /** Stops serving it, and cuts off the reads that lack bytes. May be called more than once. */
  end(): void;
}

interface ServedFile {
  readonly file: HostedFile;
  /** Key of the module whose job it belongs to. */
  readonly module: string;
  /** The check of `verify` that it is served for. */
  readonly check: RecordedCheck | undefined;
  readonly ending: AbortController;
  reads: number;
}

type Head = Pick<WireAnswer, "status" | "headers">;
type Parts = Pick<SimulatorContext, "baseUrl" | "clock" | "ids" | "journal" | "listen">;

/** The path of a hosted file on the platform. */
export function filePath(id: string): string {
  return `/files/${id}`;
}

/** Serves files to an app. */
export type FileHost = Pick<HostedFiles, "host">;

/** The files that the platform serves (interface 2.3, 8). Every request for one is an exchange in the journal. */
export class HostedFiles {
  readonly #parts: Parts;
  readonly #served = new Map<string, ServedFile>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Serves a file from now on, at an unguessable address.
   * @param module key of the module whose job it belongs to
   * @param check the check of `verify` that it is served for
   */
  async host(file: HostedFile, module: string, check?: RecordedCheck): Promise<Hosting> {
    const address = await this.#parts.listen();
    const id = this.#parts.ids.secret();
    const served: ServedFile = { file, module, check, ending: new AbortController(), reads: 0 };
    this.#served.set(id, served);
    const end = () => {
      this.#served.delete(id);
      served.ending.abort();
    };
    return {
      url: address + filePath(id),
      get reads() {
        return served.reads;
      },
      end,
      [Symbol.dispose]: end,
    };
  }

  /** The status and headers for a file; null if there is no such file, or it is no longer served. */
  find(id: string): Head | null {
    const served = this.#served.get(id);
    return served === undefined ? null : headOf(served.file);
  }

  /** Records a request that gets no file, and returns its answer. */
  refuse(id: string, request: IncomingRequest, answer: WireAnswer): WireAnswer {
    const record = this.#begin(id, request, answer);
    record(recordBody(Buffer.from(answer.body)), { kind: "answered" });
    return answer;
  }

  /**
   * Sends the file, or nothing for HEAD, and records the exchange. If the file cannot be sent completely, the response
   * is destroyed, so that a part is not mistaken for the whole.
   * @throws what went wrong with the file itself; a reader that disconnects is no error
   */
  async send(id: string, response: Writable, request: IncomingRequest): Promise<void> {
    const served = this.#served.get(id);
    if (served === undefined) throw new TypeError("a file is sent that is no longer served");
    const { signal } = served.ending;
    const transfer = new AbortController();
    const reading = readWhole(served.file);
    const record = this.#begin(id, request, headOf(served.file));
    let isRecorded = false;
    const end = (outcome: Outcome) => {
      if (isRecorded) return;
      isRecorded = true;
      record(recordBody(reading.beginning, reading.size), outcome);
      if (reading.isWhole && outcome.kind === "answered") served.reads += 1;
    };
    // Immediately, because the journal may be closed next. A file that was sent completely counts as answered, and its
    // connection stays: its reader has the whole file, and may already be using it for another request.
    const cut = () => {
      if (reading.isWhole && response.writableLength === 0) return end({ kind: "answered" });
      end({ kind: "interrupted" });
      transfer.abort();
    };
    signal.addEventListener("abort", cut, { once: true });
    try {
      await pipeline(request.method === "HEAD" ? [] : reading, response, { signal: transfer.signal });
      end({ kind: "answered" });
    } catch (error) {
      end(reading.hasFailed ? { kind: "interrupted" } : readerLeft(reading.size));
      if (reading.hasFailed && !(error instanceof BrokenOff)) throw error;
    } finally {
      signal.removeEventListener("abort", cut);
    }
  }

  /** Starts the exchange of a request; the returned function writes it into the journal. */
  #begin(id: string, request: IncomingRequest, answer: Head): (sent: RecordedBody, outcome: Outcome) => void {
    const { clock } = this.#parts;
    const { module = null, check } = this.#served.get(id) ?? {};
    const startedAt = new Date(clock.now()).toISOString();
    const began = clock.monotonic();
    return (sent, outcome) => {
      const timings = { headersMs: 0, totalMs: Math.round(clock.monotonic() - began) };
      const answered = { ...answer, sent };
      const tag = check === undefined ? {} : { check };
      const facts = { purpose: "file", module, ...tag, startedAt, timings, answer: answered, outcome } as const;
      recordExchange(this.#parts, request, facts);
    };
  }
}

function headOf({ contentType, size, status = 200, headers: others }: HostedFile): Head {
  const headers = {
    "content-type": contentType,
    ...(size === null ? {} : { "content-length": String(size) }),
    "content-disposition": "attachment",
    "accept-ranges": "none",
    ...others,
  };
  return { status, headers };
}

function readerLeft(size: number): Outcome {
  const detail = `the reader closed the connection after ${withCommas(size)} bytes were sent`;
  return { kind: "disconnected", phase: "body", detail };
}

/**
 * A file on disk.
 * @param path of a regular file
 * @param name what to call it in messages
 * @throws UsageError if it cannot be read, now or later
 */
export async function fileOnDisk(path: string, name: string, contentType: string): Promise<HostedFile> {
  const fail = (why: string) => {
    throw new UsageError(
      "file-unreadable",
      `${name} cannot be read: ${why}`,
      "it must stay in place while the job runs",
    );
  };
  const facts = await stat(path).catch(({ message }: Error) => fail(message));
  // A pipe or a device has no known size.
  if (!facts.isFile()) fail(`${path} is not a regular file`);
  return {
    name,
    contentType,
    size: facts.size,
    async *open() {
      const handle = await open(path).catch(({ message }: Error) => fail(message));
      try {
        yield* handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
      } finally {
        await handle.close();
      }
    },
  };
}

/** Bytes read and sent at a time: 256 KiB. */
export const CHUNK_BYTES = 256 * 1024;

/** One read of a file and its progress. Chunks are 256 KiB; the last may be smaller. */
export interface Reading extends AsyncIterable<Uint8Array> {
  /** The first chunk; empty until it is read. */
  readonly beginning: Uint8Array;
  /** Bytes read so far. */
  readonly size: number;
  /** Whether the last byte was read, which the size of the file shows, or else its end. */
  readonly isWhole: boolean;
  /** Whether the file itself failed: it could not be read, or its size has changed. */
  readonly hasFailed: boolean;
}

/** Reads a file once from its beginning. If its size has changed, it throws before the last chunk. */
export function readWhole(file: HostedFile): Reading {
  const reading = {
    beginning: new Uint8Array() as Uint8Array,
    size: 0,
    isWhole: false,
    hasFailed: false,
    async *[Symbol.asyncIterator]() {
      try {
        const pieces = ofItsSize(file);
        for await (const chunk of file.inPieces === true ? pieces : inChunks(pieces)) {
          if (reading.size === 0) reading.beginning = chunk;
          reading.size += chunk.length;
          // Before the chunk is handed on: a reader that knows the size has everything with its last byte.
          reading.isWhole = reading.size === file.size;
          yield chunk;
        }
        reading.isWhole = true;
      } catch (error) {
        reading.isWhole = false;
        reading.hasFailed = true;
        throw error;
      }
    },
  };
  return reading;
}

/** The pieces of a file; throws if their total differs from the file's size. */
async function* ofItsSize(file: HostedFile): AsyncGenerator<Uint8Array> {
  const { name, size } = file;
  if (size === null) return yield* file.open();
  let received = 0;
  const check = (isRight: boolean) => {
    if (isRight) return;
    const summary = `${name} no longer has its ${withCommas(size)} bytes from when the job began`;
    throw new UsageError("file-changed", summary, "do not change it while the job runs");
  };
  for await (const piece of file.open()) {
    received += piece.length;
    check(received <= size);
    yield piece;
  }
  check(received === size);
}

/**
 * The same bytes in chunks of one size. A full chunk is held back until the next bytes arrive, because reading them may
 * throw.
 */
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
