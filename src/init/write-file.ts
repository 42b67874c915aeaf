import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../protocol/usage-error.ts";
import type { ProposedFile } from "./project-files.ts";

/**
 * Writes a file that does not exist yet, or adds lines to one that may.
 * @param folder absolute
 * @returns what was done; `there`: something else created the file meanwhile
 * @throws UsageError if it cannot be written
 */
export async function writeProposed(
  folder: string,
  { file, content, isAdded }: ProposedFile,
): Promise<"written" | "added" | "there"> {
  const place = path.resolve(folder, file);
  try {
    await mkdir(path.dirname(place), { recursive: true });
    if (!isAdded) {
      await writeFile(place, content, { flag: "wx" });
      return "written";
    }
    const wasThere = (await textAt(place)) !== null;
    await appendFile(place, content);
    return wasThere ? "added" : "written";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && !isAdded) return "there";
    throw new UsageError("file-unwritable", `${file} cannot be written: ${message}`, "make the folder writable");
  }
}

/** The text of a file; null if it does not exist. */
export async function textAt(place: string): Promise<string | null> {
  return readFile(place, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" || error.code === "ENOTDIR" ? null : Promise.reject(error),
  );
}
