import { closeSync, mkdtempSync, openSync, read, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../../protocol/usage-error.ts";
import { CHUNK_BYTES } from "../../web/read-whole.ts";

/** Lines of any number, in a temporary file that goes when it is closed, and with the process. */
export interface LinesFile {
  /** Bytes that were written. */
  readonly size: number;
  /** Adds a line, given without its end; its bytes with it. */
  add(line: string): number;
  /** Adds bytes as they are. */
  append(bytes: Uint8Array): void;
  /** Fills a buffer with the bytes from such a place on; how many there were. */
  read(start: number, into: Uint8Array): number;
  /** The whole file from its beginning. */
  open(): AsyncIterable<Uint8Array>;
  close(): void;
}

/** @throws UsageError, then or at a later line, when there is no space for it */
export function createLinesFile(): LinesFile {
  const { file, close } = openTemporary();
  let held: string[] = [];
  let heldBytes = 0;
  let written = 0;
  let reads = 0;
  let isClosing = false;
  const readAt = async (start: number, length: number): Promise<Buffer> => {
    if (isClosing) throw new Error("the file is closed");
    reads++;
    try {
      const { bytesRead, buffer } = await promisify(read)(file, Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      reads--;
      // Its number could already be that of another file.
      if (isClosing && reads === 0) close();
    }
  };
  const append = (bytes: Uint8Array) => {
    writeAll(file, bytes);
    written += bytes.length;
  };
  const flush = () => {
    const text = held.join("");
    held = [];
    heldBytes = 0;
    append(Buffer.from(text));
  };
  return {
    get size() {
      return written + heldBytes;
    },
    add(line) {
      const bytes = Buffer.byteLength(line) + 1;
      held.push(line, "\n");
      heldBytes += bytes;
      if (heldBytes >= CHUNK_BYTES) flush();
      return bytes;
    },
    append(bytes) {
      flush();
      append(bytes);
    },
    read(start, into) {
      flush();
      return readSync(file, into, 0, into.length, start);
    },
    async *open() {
      flush();
      // A stream of Node's would close the file when its reader leaves early.
      for (let at = 0; at < written; ) {
        const chunk = await readAt(at, Math.min(CHUNK_BYTES, written - at));
        at += chunk.length;
        yield chunk;
      }
    },
    close() {
      if (isClosing) return;
      isClosing = true;
      if (reads === 0) close();
    },
  };
}

/** A file that nobody else can open. */
function openTemporary(): { readonly file: number; readonly close: () => void } {
  const { directory, file } = createTemporary();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    remove();
  } catch {
    // Windows keeps a file that is open: it goes when it is closed.
  }
  return {
    file,
    close: () => {
      closeSync(file);
      remove();
    },
  };
}

function createTemporary(): { readonly directory: string; readonly file: number } {
  try {
    const directory = mkdtempSync(path.join(tmpdir(), "app-sim-"));
    return { directory, file: openSync(path.join(directory, "lines"), "wx+", 0o600) };
  } catch (error) {
    throw noRoom(error as NodeJS.ErrnoException);
  }
}

function noRoom({ message }: NodeJS.ErrnoException): UsageError {
  return new UsageError(
    "no-temporary-file",
    `the strings of a job cannot be kept in ${tmpdir()}: ${message.split(", ")[0]}`,
    "make room there, or let TMPDIR name another directory",
  );
}

function writeAll(file: number, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch (error) {
    throw noRoom(error as NodeJS.ErrnoException);
  }
}
