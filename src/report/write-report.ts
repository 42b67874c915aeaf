import { mkdtemp, open, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { canWrite } from "../journal/can-write.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Marks at the beginning of every report, by which a later one recognizes what it may replace. */
const MARKS = ["app-sim", '{"type":"journal"'];
/** More than the beginning of any format up to its mark. */
const BEGINNING_BYTES = 2048;

/**
 * Refuses files that no report can be written to, before anything is sent.
 * @param file absolute
 * @throws UsageError if the folder is missing or not writable, or the file is something else
 */
export async function requireReplaceable(file: string): Promise<void> {
  const folder = path.dirname(file);
  const facts = await stat(file).catch(() => null);
  if (facts?.isFile() === true && facts.size > 0 && !(await isReport(file))) {
    throw new UsageError(
      "report-exists",
      `${file} already exists and is not an app-sim report`,
      "choose another file, or move that one away",
    );
  }
  const isWritable = await canWrite(folder);
  if (isWritable && (facts === null || facts.isFile())) return;
  throw unwritable(file, isWritable ? "it is not a regular file" : "its folder is missing or not writable");
}

/**
 * Writes a report atomically: completely or not at all.
 * @param file absolute
 * @param text in pieces
 * @throws UsageError if it cannot be written
 */
export async function writeReport(file: string, text: Iterable<string>): Promise<void> {
  let partial: string | null = null;
  try {
    partial = await mkdtemp(path.join(path.dirname(file), ".app-sim-report-"));
    const written = path.join(partial, "report");
    // Bodies may contain data of a real organization.
    await writeFile(written, text, { mode: 0o600 });
    await rename(written, file);
  } catch (error) {
    throw unwritable(file, (error as Error).message);
  } finally {
    if (partial !== null) await rm(partial, { recursive: true, force: true });
  }
}

function unwritable(file: string, why: string): UsageError {
  return new UsageError(
    "report-unwritable",
    `${file} cannot be written: ${why}`,
    "choose a file in an existing, writable folder, on a disk with free space",
  );
}

async function isReport(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  const beginning = buffer.subarray(0, bytesRead).toString();
  return MARKS.some((mark) => beginning.includes(mark));
}
