import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { readUserFile, requireFile, unreadable } from "../../config/user-file.ts";
import { fileOnDisk, type HostedFile } from "../../web/hosted-files.ts";
import { PATTERN_CONTENT_BYTES } from "../rules/import-modules.ts";

/** The source file of a job, sent inline or by its address (interface 2.3, `content` and `contentUrl`). */
export interface SourceFile {
  /** Bytes; null if only its address is known. */
  readonly size: number | null;
  /** The address from the fixture itself. */
  readonly url: string | null;
  /** The beginning that patterns are matched against; null if only its address is known. */
  head(): Promise<Uint8Array | null>;
  base64(): Promise<string>;
  hosted(): Promise<HostedFile>;
}

const CONTENT_TYPE = "application/octet-stream";

/** A source file inside the fixture. */
export function embeddedFile(name: string, base64: string): SourceFile {
  const bytes = Buffer.from(base64, "base64");
  const size = bytes.length;
  const read = async function* () {
    yield bytes;
  };
  return {
    size,
    url: null,
    head: async () => bytes.subarray(0, PATTERN_CONTENT_BYTES),
    base64: async () => base64,
    hosted: async () => ({ name, contentType: CONTENT_TYPE, size, open: read }),
  };
}

/**
 * A source file on disk.
 * @param what for messages, such as `job.json: file.path`
 * @throws UsageError when it cannot be read
 */
export async function fileAt(file: string, name: string, what: string): Promise<SourceFile> {
  const head = await readHead(file, what);
  const hosted = () => fileOnDisk(file, name, CONTENT_TYPE);
  const { size } = await hosted();
  const base64 = async () => (await readUserFile(file, what, Number.POSITIVE_INFINITY)).toString("base64");
  return { size, url: null, head: async () => head, base64, hosted };
}

/** A source file given only by its address. */
export function fileElsewhere(url: string): SourceFile {
  const notHere = () => Promise.reject(new RangeError(`${url} is not here`));
  return { size: null, url, head: async () => null, base64: notHere, hosted: notHere };
}

/**
 * The beginning of a file that patterns are matched against.
 * @throws UsageError when it cannot be read
 */
export async function readHead(file: string, what: string): Promise<Buffer> {
  await requireFile(file, what);
  const refuse = (error: NodeJS.ErrnoException) => Promise.reject(unreadable(error, file, what));
  const handle = await open(file).catch(refuse);
  const reading = handle.read(Buffer.alloc(PATTERN_CONTENT_BYTES)).finally(() => handle.close());
  const { buffer, bytesRead } = await reading.catch(refuse);
  return buffer.subarray(0, bytesRead);
}

/** The MD5 of a file, with which the uniqId of its strings starts (interface 2.5, the example). */
export async function md5Of(file: SourceFile): Promise<string> {
  const hash = createHash("md5");
  for await (const chunk of (await file.hosted()).open()) hash.update(chunk);
  return hash.digest("hex");
}
