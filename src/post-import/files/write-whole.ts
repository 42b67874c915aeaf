import { type FileHandle, lstat, mkdtemp, open, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../protocol/usage-error.ts";

/** A file that is there once it is complete; until then, whatever had its name. */
export interface WholeFile {
  /** Writes the whole, and gives it its name. */
  write(chunks: AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Gives it up, unless it was written. */
  discard(): Promise<void>;
}

/**
 * Begins a file, so that one that cannot be written is told before there is anything to write.
 * @param what what the file is, for messages
 * @param mode who may read and write it
 * @throws UsageError, then or while it is written, when the system refuses; what was there before is left
 */
export async function beginWhole(file: string, what: string, mode: number): Promise<WholeFile> {
  const told = (error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) return error;
    // The rest of the message names the system's call and the file that stands in.
    const why = error.message.split(", ")[0] ?? error.message;
    return new UsageError(
      "file-unwritable",
      `${what} ${file} cannot be written: ${why}`,
      "is there such a directory, and may you write into it?",
    );
  };
  const target = await targetOf(file, what);
  // Its own directory, because several may write the same file at once.
  const directory = await mkdtemp(`${target}.partial-`).catch((error) => Promise.reject(told(error)));
  const partial = path.join(directory, path.basename(target));
  const handle = await open(partial, "wx", mode);
  const discard = async () => {
    await handle.close().catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  };
  return {
    async write(chunks) {
      try {
        await writeAll(handle, chunks);
        await handle.close();
        await rename(partial, target);
      } catch (error) {
        throw told(error as NodeJS.ErrnoException);
      } finally {
        await discard();
      }
    },
    discard,
  };
}

async function writeAll(handle: FileHandle, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await handle.appendFile(chunk);
}

/** The file that a name stands for, or will: a link is followed, and nothing but a file is replaced. */
async function targetOf(file: string, what: string): Promise<string> {
  const target = await realpath(file).catch(() => file);
  const isOther = await lstat(target).then(
    (facts) => !facts.isFile(),
    () => false,
  );
  if (!isOther) return target;
  throw new UsageError("file-unwritable", `${what} ${file} is not a regular file`, "give the name of a file");
}
