import { constants, existsSync, openSync, readdirSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { harmlessLine } from "../protocol/harmless.ts";
import { isSlipOf, nearestName } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { shippedInstead } from "./shipped-fixtures.ts";

/** The largest file that is read as a whole, unless its kind has its own limit: parsed, it takes eight times as much. */
const FILE_LIMIT_BYTES = 33_554_432;

/**
 * Reads a file that the user named, or what a pipe gives in its place, such as `<(command)` of a shell.
 * @param what what the file is, for messages: `fixture`, `manifest` …
 * @param limit the most bytes that are read
 * @throws UsageError when it cannot be read, is larger, or is neither a file nor a pipe
 */
export async function readUserFile(file: string, what: string, limit = FILE_LIMIT_BYTES): Promise<Buffer> {
  try {
    // Looked at before it is opened: to open a pipe or a device may wait for ever, and cannot be ended.
    const facts = await stat(file);
    if (facts.isFIFO()) return await readPipe(file, what, limit);
    requireRegular(facts, file, what);
    await using handle = await open(file);
    return await collect(handle.createReadStream({ autoClose: false, end: limit }), file, what, limit);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(error as NodeJS.ErrnoException, file, what);
  }
}

/**
 * Refuses what is no regular file, before it is opened.
 * @throws UsageError when it is something else, or cannot be looked at
 */
export async function requireFile(file: string, what: string): Promise<void> {
  const facts = await stat(file).catch((error) => Promise.reject(unreadable(error, file, what)));
  requireRegular(facts, file, what);
}

function requireRegular(facts: { isFile(): boolean; isDirectory(): boolean }, file: string, what: string): void {
  if (facts.isFile()) return;
  throw unreadableBecause(facts.isDirectory() ? "it is a directory" : "it is not a regular file", file, what);
}

/** Reads without a thread that waits, so that a signal can end the process meanwhile. */
async function readPipe(file: string, what: string, limit: number): Promise<Buffer> {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  try {
    return await collect(socket, file, what, limit);
  } finally {
    socket.destroy();
  }
}

async function collect(stream: AsyncIterable<unknown>, file: string, what: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(file, what, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(file: string, what: string, limit: number): UsageError {
  const most = limit % 1_048_576 === 0 ? `${limit / 1_048_576} MiB` : `${withCommas(limit)} bytes`;
  return new UsageError(
    "file-too-large",
    `${what} ${file} has more than ${most}, which are the most that are read of it`,
    "is it the right file? the strings of a fixture may be in a file of their own, of any size (stringsFile)",
  );
}

/** Why a file that the user named cannot be read. */
export function unreadable(error: NodeJS.ErrnoException, file: string, what: string): UsageError {
  const why = {
    ENOENT: "there is no such file",
    EISDIR: "it is a directory",
    EACCES: "permission denied",
    EMFILE: "app-sim has as many files and connections open as it may (ulimit -n)",
    ENFILE: "this machine has as many files open as it may",
  }[error.code ?? ""];
  return unreadableBecause(why ?? error.message, file, what, error.code === "ENOENT" ? meantHint(file) : undefined);
}

/** Which file or folder may be meant by the path of a missing one; undefined: none is near. */
export function meantHint(file: string): string | undefined {
  const shipped = shippedInstead(file);
  if (shipped !== null) return `app-sim comes with one: ${shipped}`;
  const missing = firstMissing(file);
  const { dir, name, ext } = path.parse(missing);
  const isAlike = (other: string) => other === ext || (ext !== "" && other !== "" && isSlipOf(ext, other));
  const alike = namesIn(dir || ".").filter((each) => isAlike(path.extname(each)));
  // Of two that differ by their endings, the one with the same ending is nearer.
  const byName = new Map(alike.sort(byEnding(ext)).map((each) => [path.parse(each).name, each]));
  const near = byName.get(nearestName(name, byName.keys()) ?? "");
  if (near === undefined) return undefined;
  const place = missing === file ? "in the same folder" : `in place of ${harmlessLine(path.basename(missing))}`;
  return `did you mean ${harmlessLine(near)}, ${place}?`;
}

function byEnding(ext: string) {
  return (one: string, other: string) => Number(path.extname(one) === ext) - Number(path.extname(other) === ext);
}

/** The file, or the first folder on the way to it that is not there. */
function firstMissing(file: string): string {
  const { dir } = path.parse(file);
  return dir === "" || existsSync(dir) ? file : firstMissing(dir);
}

/** The files and folders of a folder, unless they are so many that to compare them takes time. */
function namesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory);
    return names.length > COMPARED_NAMES ? [] : names;
  } catch {
    return [];
  }
}

const COMPARED_NAMES = 1000;

function unreadableBecause(
  why: string,
  file: string,
  what: string,
  hint = "give the path of a file that exists",
): UsageError {
  return new UsageError("file-unreadable", `${what} ${file} cannot be read: ${why}`, hint);
}
