import { open, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Outcome, RecordedBody } from "../journal/exchange.ts";
import { recordBody } from "../journal/journal.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { type IncomingRequest, recordExchange } from "./incoming-request.ts";
import { CHUNK_BYTES, readWhole } from "./read-whole.ts";

/** A file that the platform can serve to the app: `contentUrl` or `stringsUrl` of a job (interface 2.3, 8). */
export interface HostedFile {
  /** Its name in messages. */
  readonly name: string;
  readonly contentType: string;
  /** In bytes; null: not known before it is read. */
  readonly size: number | null;
  /** Reads the whole file anew, in pieces of any size; stopping early closes it. */
  open(): AsyncIterable<Uint8Array>;
}

/** A file that is being served, until it is disposed of. */
export interface Hosting extends Disposable {
  /** Where the app fetches it; unguessable. */
  readonly url: string;
  /** How often the whole file was sent so far. */
  readonly reads: number;
  /** Stops serving it, and cuts off the reads in progress. May be called again. */
  end(): void;
}

/** A file as the routes see it. */
interface ServedFile {
  /** The head of the answer to GET and to HEAD. */
  readonly head: Head;
  /**
   * Sends the file, or nothing for HEAD, and records the exchange. A response that cannot get the whole file is
   * destroyed, so that nobody takes a part for the whole.
   * @throws what went wrong with the file itself; a reader that leaves is no error
   */
  sendTo(response: Writable, request: IncomingRequest): Promise<void>;
}

/** The files that the platform serves (interface 2.3, 8). Every request for one is an exchange in the journal. */
export interface HostedFiles {
  /**
   * Serves a file from now on, at an unguessable address.
   * @param module key of the module whose job it belongs to
   */
  host(file: HostedFile, module: string): Promise<Hosting>;
  /** null: there is no such file, or it is no longer served. */
  find(id: string): ServedFile | null;
  /** Records a request that gets no file, and returns its answer. */
  refuse(id: string, request: IncomingRequest, answer: WireAnswer): WireAnswer;
}

type Head = Pick<WireAnswer, "status" | "headers">;
type Parts = Pick<SimulatorContext, "baseUrl" | "clock" | "ids" | "journal" | "listen">;

/** The path of a hosted file on the platform. */
export function filePath(id: string): string {
  return `/files/${id}`;
}

/** Creates the store of files that the platform serves. */
export function createHostedFiles(parts: Parts): HostedFiles {
  const served = new Map<string, ServedFile & { readonly module: string }>();
  return {
    async host(file, module) {
      const address = await parts.listen();
      const id = parts.ids.secret();
      const ending = new AbortController();
      let reads = 0;
      const serving = serveFile(parts, file, module, ending.signal, () => {
        reads += 1;
      });
      served.set(id, { ...serving, module });
      const end = () => {
        served.delete(id);
        ending.abort();
      };
      return {
        url: address + filePath(id),
        get reads() {
          return reads;
        },
        end,
        [Symbol.dispose]: end,
      };
    },
    find: (id) => served.get(id) ?? null,
    refuse(id, request, answer) {
      const note = beginExchange(parts, served.get(id)?.module ?? null, request, answer);
      note(recordBody(Buffer.from(answer.body)), { kind: "answered" });
      return answer;
    },
  };
}

/** @param onRead called each time the whole file was sent */
function serveFile(
  parts: Parts,
  file: HostedFile,
  module: string,
  ending: AbortSignal,
  onRead: () => void,
): ServedFile {
  const head = { status: 200, headers: headersOf(file) };
  return {
    head,
    async sendTo(response, request) {
      const reading = readWhole(file);
      const note = beginExchange(parts, module, request, head);
      let isNoted = false;
      const end = (outcome: Outcome) => {
        if (isNoted) return;
        isNoted = true;
        note(recordBody(reading.beginning, reading.size), outcome);
        if (reading.isWhole && outcome.kind === "answered") onRead();
      };
      // At once, because the journal may be closed next. A file that was sent in whole counts as answered.
      const cut = () => end({ kind: reading.isWhole ? "answered" : "interrupted" });
      ending.addEventListener("abort", cut, { once: true });
      try {
        await pipeline(request.method === "HEAD" ? [] : reading, response, { signal: ending });
        end({ kind: "answered" });
      } catch (error) {
        end(reading.hasFailed ? { kind: "interrupted" } : readerLeft(reading.size));
        if (reading.hasFailed) throw error;
      } finally {
        ending.removeEventListener("abort", cut);
      }
    },
  };
}

function headersOf({ contentType, size }: HostedFile): Head["headers"] {
  return {
    "content-type": contentType,
    ...(size === null ? {} : { "content-length": String(size) }),
    "content-disposition": "attachment",
    "accept-ranges": "none",
  };
}

function readerLeft(size: number): Outcome {
  const detail = `the reader closed the connection after ${size.toLocaleString("en-US")} bytes were sent`;
  return { kind: "disconnected", phase: "body", detail };
}

/** Starts the exchange of a request for a file; the returned function writes it into the journal. */
function beginExchange(
  parts: Parts,
  module: string | null,
  request: IncomingRequest,
  answer: Head,
): (sent: RecordedBody, outcome: Outcome) => void {
  const { clock } = parts;
  const startedAt = new Date(clock.now()).toISOString();
  const began = clock.monotonic();
  return (sent, outcome) =>
    void recordExchange(parts, request, {
      purpose: "file",
      module,
      startedAt,
      timings: { headersMs: 0, totalMs: Math.round(clock.monotonic() - began) },
      answer: { ...answer, sent },
      outcome,
    });
}

/**
 * A file on disk.
 * @param path of a regular file
 * @param name what it is called in messages
 * @throws UsageError if it cannot be read; so does reading it later
 */
export async function fileOnDisk(path: string, name: string, contentType: string): Promise<HostedFile> {
  const facts = await stat(path).catch((error: Error) => {
    throw unreadable(name, error.message);
  });
  // The end of a pipe or a device is not known.
  if (!facts.isFile()) throw unreadable(name, `${path} is not a regular file`);
  return {
    name,
    contentType,
    size: facts.size,
    async *open() {
      const handle = await open(path).catch((error: Error) => {
        throw unreadable(name, error.message);
      });
      try {
        yield* handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
      } finally {
        await handle.close();
      }
    },
  };
}

function unreadable(name: string, why: string): UsageError {
  return new UsageError(
    "file-unreadable",
    `${name} cannot be read: ${why}`,
    "it must stay where it is while the job runs",
  );
}
