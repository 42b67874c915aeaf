import { constants, existsSync, openSync, readdirSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { harmlessLine } from "../protocol/harmless.ts";
import { isSlipOf, nearestName } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { shippedInstead } from "./shipped-fixtures.ts";

/**
 * Size limit of files that are read as a whole, unless their kind has its own: parsed, they take eight times as much
 * memory.
 */
const FILE_LIMIT_BYTES = 33_554_432;

/**
 * Reads a file given by the user, or a pipe in its place, such as a shell's `<(command)`.
 * @param what what the file is, for messages: `fixture`, `manifest` …
 * @param limit the most bytes that are read
 * @throws UsageError if it cannot be read, is larger, or is neither a file nor a pipe
 */
export async function readUserFile(file: string, what: string, limit = FILE_LIMIT_BYTES): Promise<Buffer> {
  try {
    // Checked before opening: opening a pipe or a device may block for ever, and cannot be cancelled.
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
 * Refuses anything but a regular file, before it is opened.
 * @throws UsageError if it is something else, or cannot be examined
 */
export async function requireFile(file: string, what: string): Promise<void> {
  const facts = await stat(file).catch((error) => Promise.reject(unreadable(error, file, what)));
  requireRegular(facts, file, what);
}

function requireRegular(facts: { isFile(): boolean; isDirectory(): boolean }, file: string, what: string): void {
  if (facts.isFile()) return;
  throw unreadableBecause(facts.isDirectory() ? "it is a directory" : "it is not a regular file", file, what);
}

/** Reads without blocking a thread, so that a signal can end the process meanwhile. */
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
    `${what} ${file} is larger than the limit of ${most}`,
    "is it the right file? The strings of a fixture may be in a separate file of any size (stringsFile)",
  );
}

/** Why a file given by the user cannot be read. */
export function unreadable(error: NodeJS.ErrnoException, file: string, what: string): UsageError {
  const why = {
    ENOENT: "there is no such file",
    EISDIR: "it is a directory",
    EACCES: "permission denied",
    EMFILE: "app-sim has reached its limit of open files and connections (ulimit -n)",
    ENFILE: "this machine has reached its limit of open files",
  }[error.code ?? ""];
  const hint = error.code === "ENOENT" ? (meantHint(file) ?? missingHints[what]) : undefined;
  return unreadableBecause(why ?? error.message, file, what, hint);
}

/** What to try if a file of this kind is missing, and no other is meant. */
const missingHints: Readonly<Record<string, string>> = {
  manifest: "for a path of your app, give its whole address, such as http://127.0.0.1:3000/manifest.json",
};

/** A hint with the file or folder that a missing path probably means; undefined if none is close. */
export function meantHint(file: string): string | undefined {
  const shipped = shippedInstead(file);
  if (shipped !== null) return `app-sim ships one: ${shipped}`;
  const missing = firstMissing(file);
  const { dir, name, ext } = path.parse(missing);
  const isAlike = (other: string) => other === ext || (ext !== "" && other !== "" && isSlipOf(ext, other));
  const alike = namesIn(dir || ".").filter((each) => isAlike(path.extname(each)));
  // If two differ only in their extension, the one with the same extension is closer.
  const byName = new Map(alike.sort(byEnding(ext)).map((each) => [path.parse(each).name, each]));
  const near = byName.get(nearestName(name, byName.keys()) ?? "");
  if (near === undefined) return undefined;
  const place = missing === file ? "in the same folder" : `in place of ${harmlessLine(path.basename(missing))}`;
  return `did you mean ${harmlessLine(near)}, ${place}?`;
}

function byEnding(ext: string) {
  return (one: string, other: string) => Number(path.extname(one) === ext) - Number(path.extname(other) === ext);
}

/** The first folder on the way to the file that does not exist, or the file itself. */
function firstMissing(file: string): string {
  const { dir } = path.parse(file);
  return dir === "" || existsSync(dir) ? file : firstMissing(dir);
}

/** The files and folders of a folder, unless there are too many to compare. */
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
