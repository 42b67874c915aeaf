import { mkdtemp, open, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { canWrite } from "../journal/can-write.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** What is at the beginning of every report, by which a later one knows that it may replace it. */
const MARKS = ["app-sim", '{"type":"journal"'];
/** As much as the mark of any format takes. */
const BEGINNING_BYTES = 2048;

/**
 * Refuses what no report can be written to, before anything is sent.
 * @param file absolute
 * @throws UsageError where the folder is missing or may not be written, or the file is something else
 */
export async function requireReplaceable(file: string): Promise<void> {
  const folder = path.dirname(file);
  const facts = await stat(file).catch(() => null);
  if (facts?.isFile() === true && facts.size > 0 && !(await isReport(file))) {
    throw new UsageError(
      "report-exists",
      `${file} is there already and is no report of app-sim`,
      "give another file, or move that one away",
    );
  }
  const isWritable = await canWrite(folder);
  if (isWritable && (facts === null || facts.isFile())) return;
  throw unwritable(file, isWritable ? "it is not a regular file" : "its folder is missing or may not be written");
}

/**
 * Writes a report, which is there whole or not at all.
 * @param file absolute
 * @param text in pieces
 * @throws UsageError where it cannot be written
 */
export async function writeReport(file: string, text: Iterable<string>): Promise<void> {
  let partial: string | null = null;
  try {
    partial = await mkdtemp(path.join(path.dirname(file), ".app-sim-report-"));
    const written = path.join(partial, "report");
    // Bodies may be of a real organization.
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
    "give a file in a folder that is there",
  );
}

async function isReport(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  const beginning = buffer.subarray(0, bytesRead).toString();
  return MARKS.some((mark) => beginning.includes(mark));
}
