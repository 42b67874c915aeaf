import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { readUserFile, unreadable } from "../../config/json-file.ts";
import { fileOnDisk, type HostedFile } from "../../web/hosted-files.ts";
import { PATTERN_CONTENT_BYTES } from "../rules/import-modules.ts";

/** The source file of a job, which travels in the job or by its address (interface 2.3, `content` and `contentUrl`). */
export interface SourceFile {
  /** Bytes; null where only its address is known. */
  readonly size: number | null;
  /** The address that the fixture itself gives. */
  readonly url: string | null;
  /** As much of its beginning as patterns look at; null where only its address is known. */
  head(): Promise<Uint8Array | null>;
  base64(): Promise<string>;
  hosted(): Promise<HostedFile>;
}

const CONTENT_TYPE = "application/octet-stream";

/** A source file that the fixture holds. */
export function embeddedFile(name: string, base64: string): SourceFile {
  const bytes = Buffer.from(base64, "base64");
  return {
    size: bytes.length,
    url: null,
    head: async () => bytes.subarray(0, PATTERN_CONTENT_BYTES),
    base64: async () => base64,
    hosted: async () => ({
      name,
      contentType: CONTENT_TYPE,
      size: bytes.length,
      async *open() {
        yield bytes;
      },
    }),
  };
}

/**
 * A source file that the fixture names.
 * @param what for messages, such as `job.json: file.path`
 * @throws UsageError when it cannot be read
 */
export async function fileAt(file: string, name: string, what: string): Promise<SourceFile> {
  const head = await readHead(file, what);
  const hosted = () => fileOnDisk(file, name, CONTENT_TYPE);
  const { size } = await hosted();
  return {
    size,
    url: null,
    head: async () => head,
    base64: async () => (await readUserFile(file, what)).toString("base64"),
    hosted,
  };
}

/**
 * As much of the beginning of a file as patterns look at.
 * @throws UsageError when it cannot be read
 */
export async function readHead(file: string, what: string): Promise<Buffer> {
  const handle = await open(file).catch((error) => Promise.reject(unreadable(error, file, what)));
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PATTERN_CONTENT_BYTES));
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(error as NodeJS.ErrnoException, file, what);
  } finally {
    await handle.close();
  }
}

/** A source file of which the fixture gives the address alone. */
export function fileElsewhere(url: string): SourceFile {
  const notHere = () => Promise.reject(new RangeError(`${url} is not here`));
  return { size: null, url, head: async () => null, base64: notHere, hosted: notHere };
}

/** The MD5 of a file's bytes, as the uniqId of a string begins with it (interface 2.5, the example). */
export function hashOf(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

/** The same of a file of any size. */
export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash("md5");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/**
 * Whether a file holds a JSON array, going by its first character.
 * @throws UsageError when it cannot be read
 */
export async function beginsAsArray(file: string, what: string): Promise<boolean> {
  return (await readHead(file, what)).toString("latin1").trimStart().startsWith("[");
}
