import { closeSync, mkdtempSync, openSync, read, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../../protocol/usage-error.ts";
import { CHUNK_BYTES } from "../../web/hosted-files.ts";

/**
 * Any number of lines in a temporary file, which is deleted when it is closed, or when the process ends.
 * @throws UsageError, from any method, when there is no space for it
 */
export class LinesFile {
  readonly #directory: string;
  readonly #file: number;
  #held: string[] = [];
  #heldBytes = 0;
  #written = 0;
  #reads = 0;
  #isClosing = false;

  constructor() {
    try {
      this.#directory = mkdtempSync(path.join(tmpdir(), "app-sim-"));
    } catch (error) {
      throw noRoom(error);
    }
    try {
      // Only this user can open the file.
      this.#file = openSync(path.join(this.#directory, "lines"), "wx+", 0o600);
    } catch (error) {
      this.#remove();
      throw noRoom(error);
    }
    try {
      this.#remove();
    } catch {
      // Windows cannot delete an open file: it is deleted when it is closed.
    }
  }

  /** Bytes written. */
  get size(): number {
    return this.#written + this.#heldBytes;
  }

  /** Adds a line, given without its line feed; returns its bytes including it. */
  add(line: string): number {
    const bytes = Buffer.byteLength(line) + 1;
    this.#held.push(line, "\n");
    this.#heldBytes += bytes;
    if (this.#heldBytes >= CHUNK_BYTES) this.#flush();
    return bytes;
  }

  /** Adds bytes as they are. */
  append(bytes: Uint8Array): void {
    this.#flush();
    this.#write(bytes);
  }

  /** Fills a buffer with the bytes from a position; returns how many there were. */
  read(start: number, into: Uint8Array): number {
    this.#flush();
    return readSync(this.#file, into, 0, into.length, start);
  }

  /** The whole file from its beginning. */
  async *open(): AsyncGenerator<Uint8Array, void> {
    this.#flush();
    // A Node stream would close the file if its reader stops early.
    for (let at = 0; at < this.#written; ) {
      const chunk = await this.#readAt(at, Math.min(CHUNK_BYTES, this.#written - at));
      at += chunk.length;
      yield chunk;
    }
  }

  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.#reads === 0) this.#closeNow();
  }

  async #readAt(start: number, length: number): Promise<Buffer> {
    if (this.#isClosing) throw new Error("the file is closed");
    this.#reads++;
    try {
      const { bytesRead, buffer } = await promisify(read)(this.#file, Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } finally {
      this.#reads--;
      // Its descriptor may already belong to another file.
      if (this.#isClosing && this.#reads === 0) this.#closeNow();
    }
  }

  #flush(): void {
    const text = this.#held.join("");
    this.#held = [];
    this.#heldBytes = 0;
    this.#write(Buffer.from(text));
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw noRoom(error);
    }
    this.#written += bytes.length;
  }

  #closeNow(): void {
    closeSync(this.#file);
    this.#remove();
  }

  #remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function noRoom(error: unknown): UsageError {
  const { message } = error as NodeJS.ErrnoException;
  return new UsageError(
    "no-temporary-file",
    `the strings of a job cannot be kept in ${tmpdir()}: ${message.split(", ")[0]}`,
    "free some space there, or set TMPDIR to another directory",
  );
}
