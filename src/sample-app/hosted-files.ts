import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal, type Reply } from "./request.ts";
import { unguessable } from "./unguessable.ts";

/** Long enough for the platform to begin a fetch of what it was just told of, and to try again. */
const LIFETIME_MS = 10 * 60_000;
const BLOCK_BYTES = 256 * 1024;

/** A file that this app has ready for the platform to fetch. */
interface HostedFile {
  readonly url: string;
  /** Ends it before it was fetched. */
  remove(): Promise<void>;
}

/** Files too large for an answer, each at an address that only those know who were told of it. */
export interface HostedFiles {
  /**
   * Writes a file of newline-delimited JSON. Rejects with what the lines reject with, and with a refusal when the disk
   * does not take them; nothing of the file is left then.
   */
  host(lines: AsyncIterable<string> | Iterable<string>): Promise<HostedFile>;
  /** Sends a file; when it was sent whole, it is gone. */
  answer(request: IncomingMessage): Promise<Reply>;
  /** Removes every file. What is being written must have come to its end by itself. */
  close(): Promise<void>;
}

/**
 * Keeps the files on disk until they were fetched once, for 10 minutes at most.
 * @param appUrl the base address of this app, without a slash at its end
 * @param path where in this app `answer` is, without a slash at its end
 */
export function createHostedFiles(appUrl: string, path: string): HostedFiles {
  /** The folder of each file, by the file's path in this app. */
  const folders = new Map<string, string>();
  const atWork = new Set<Promise<unknown>>();

  /** Lets `close` wait for it. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const done = work.catch(() => {}).finally(() => atWork.delete(done));
    atWork.add(done);
    return work;
  }

  async function write(lines: AsyncIterable<string> | Iterable<string>): Promise<HostedFile> {
    const folder = await mkdtemp(join(tmpdir(), "sample-app-"));
    try {
      // 0600: what is imported is not published yet.
      const file = createWriteStream(pathIn(folder), { flags: "wx", mode: 0o600, highWaterMark: BLOCK_BYTES });
      await pipeline(lines, file);
    } catch (error) {
      await removeFolder(folder);
      throw error;
    }
    const address = `${path}/${unguessable()}`;
    folders.set(address, folder);
    setTimeout(() => void remove(address), LIFETIME_MS).unref();
    return { url: appUrl + address, remove: () => remove(address) };
  }

  async function remove(address: string): Promise<void> {
    const folder = folders.get(address);
    folders.delete(address);
    if (folder !== undefined) await track(removeFolder(folder));
  }

  return {
    host: (lines) => track(orRefusal(write(lines))),
    async answer(request) {
      const address = request.url ?? "";
      const folder = folders.get(address);
      if (folder === undefined) throw new Refusal(404, "There is no file at this address, or no more.");
      const stream = (await open(pathIn(folder))).createReadStream({ highWaterMark: BLOCK_BYTES });
      // Not when it is closed: a fetch that broke off can be made again.
      stream.once("end", () => void remove(address));
      return { status: 200, headers: { "content-type": "application/x-ndjson" }, stream };
    },
    async close() {
      await Promise.all(atWork);
      await Promise.all([...folders.keys()].map(remove));
    },
  };
}

function pathIn(folder: string): string {
  return join(folder, "strings.ndjson");
}

/** Never rejects: a file too many on the disk is no reason to fail. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch((error: Error) => process.emitWarning(error));
}

/** The user learns that the disk is at fault, and only the app's own log in what way: an error of the disk names paths. */
async function orRefusal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    process.emitWarning(error);
    throw new Refusal(500, "The app cannot store the strings now. Try again later.");
  }
}
