import { lstat, mkdtemp, open, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../protocol/usage-error.ts";

/** A file that replaces the existing one once it is complete. */
export interface WholeFile {
  /** Writes the file and renames it into place. */
  write(chunks: AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Deletes it, unless it was written. */
  discard(): Promise<void>;
}

/**
 * Opens a file for {@link WholeFile}, so that an unwritable one is reported before there is anything to write.
 * @param what what the file is, for messages
 * @param mode who may read and write it
 * @throws UsageError, now or while writing, if the system refuses; the earlier file is kept
 */
export async function openWhole(file: string, what: string, mode: number): Promise<WholeFile> {
  const explained = (error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) return error;
    // The rest of the message names the system call and the temporary file.
    const why = error.message.split(", ")[0] ?? error.message;
    return new UsageError(
      "file-unwritable",
      `${what} ${file} cannot be written: ${why}`,
      "does the directory exist, and may you write to it?",
    );
  };
  const target = await targetOf(file, what);
  // Its own directory, because several processes may write the same file at once.
  const directory = await mkdtemp(`${target}.partial-`).catch((error) => Promise.reject(explained(error)));
  const partial = path.join(directory, path.basename(target));
  const handle = await open(partial, "wx", mode);
  const discard = async () => {
    await handle.close().catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  };
  return {
    async write(chunks) {
      try {
        for await (const chunk of chunks) await handle.appendFile(chunk);
        await handle.close();
        await rename(partial, target);
      } catch (error) {
        throw explained(error as NodeJS.ErrnoException);
      } finally {
        await discard();
      }
    },
    discard,
  };
}

/** The regular file behind a name, which may be a link; nothing else is replaced. */
async function targetOf(file: string, what: string): Promise<string> {
  const target = await realpath(file).catch(() => file);
  const facts = await lstat(target).catch(() => null);
  if (facts === null || facts.isFile()) return target;
  throw new UsageError("file-unwritable", `${what} ${file} is not a regular file`, "give the name of a file");
}
