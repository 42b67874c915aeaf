import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../protocol/usage-error.ts";

/** A file of an exported test. */
interface ExportedFile {
  /** Without a folder. */
  readonly name: string;
  readonly content: string;
}

/**
 * Writes all files of an exported test into a folder, or none; it is made if it is not there. Those of an earlier
 * export are replaced.
 * @param folder absolute
 * @throws UsageError where the folder holds anything else, or cannot be written
 */
export async function writeExport(folder: string, files: readonly ExportedFile[]): Promise<void> {
  const strangers = (await namesIn(folder)).filter((name) => !files.some((file) => file.name === name));
  if (strangers.length > 0) {
    throw new UsageError(
      "export-exists",
      `${folder} holds other files, such as ${strangers[0]}`,
      "give an empty or a new folder with --out",
    );
  }
  try {
    await mkdir(folder, { recursive: true });
    await moveInto(folder, files);
  } catch (error) {
    throw new UsageError(
      "export-unwritable",
      `the test cannot be written into ${folder}: ${(error as Error).message}`,
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

/** They get their names when all are complete. */
async function moveInto(folder: string, files: readonly ExportedFile[]): Promise<void> {
  const partial = await mkdtemp(path.join(folder, ".partial-"));
  try {
    for (const { name, content } of files) {
      // Payloads may be of a real organization.
      await writeFile(path.join(partial, name), content, { mode: 0o600 });
    }
    for (const { name } of files) await rename(path.join(partial, name), path.join(folder, name));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
