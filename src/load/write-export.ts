import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../protocol/usage-error.ts";

/** A file of an exported test. */
interface ExportedFile {
  /** File name without a folder. */
  readonly name: string;
  readonly content: string;
}

/**
 * Writes all files of an exported test to a folder, or none; the folder is created if needed. Files of an earlier
 * export are replaced.
 * @param folder absolute
 * @throws UsageError if the folder has other files, or cannot be written
 */
export async function writeExport(folder: string, files: readonly ExportedFile[]): Promise<void> {
  const strangers = (await namesIn(folder)).filter((name) => !files.some((file) => file.name === name));
  if (strangers.length > 0) {
    throw new UsageError(
      "export-exists",
      `${folder} has other files, such as ${strangers[0]}`,
      "give an empty or a new folder with --out",
    );
  }
  try {
    await mkdir(folder, { recursive: true });
    await moveInto(folder, files);
  } catch (error) {
    throw new UsageError(
      "export-unwritable",
      `the test cannot be written to ${folder}: ${(error as Error).message}`,
      "give another folder with --out",
    );
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError("export-unwritable", `${folder} is not a folder: ${error.message}`, "give another --out");
  });
}

/** Files are renamed into place when all are complete. */
async function moveInto(folder: string, files: readonly ExportedFile[]): Promise<void> {
  const partial = await mkdtemp(path.join(folder, ".partial-"));
  try {
    for (const { name, content } of files) {
      // Payloads may come from a real organization.
      await writeFile(path.join(partial, name), content, { mode: 0o600 });
    }
    for (const { name } of files) await rename(path.join(partial, name), path.join(folder, name));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
