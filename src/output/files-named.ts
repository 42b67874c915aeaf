import { readdir } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** Directory entries examined for one argument. */
const ENTRY_LIMIT = 200_000;

/**
 * The files that an argument names: the file itself, those in a directory (at any depth, except in installed packages),
 * or those matching a glob pattern, for shells that do not expand it. Empty if the directory or pattern contains none.
 * @param within patterns for the files of a directory
 * @param entryLimit the most directory entries that are examined
 * @throws UsageError if there are more
 */
export async function filesNamed(
  cwd: string,
  name: string,
  within: readonly string[],
  entryLimit = ENTRY_LIMIT,
): Promise<string[]> {
  const facts = await stat(path.resolve(cwd, name)).catch(() => null);
  // A name that is neither file nor pattern is reported when it is read.
  if (facts?.isDirectory() !== true && (facts !== null || !isDynamicPattern(name))) return [name];
  const isDirectory = facts !== null;
  const counted = countedReading(entryLimit);
  const found = await glob(isDirectory ? within : [name], {
    cwd: isDirectory ? path.resolve(cwd, name) : cwd,
    ignore: ["**/node_modules/**"],
    onlyFiles: true,
    expandDirectories: false,
    // A link may lead to a whole disk, or back up the tree.
    followSymbolicLinks: false,
    fs: { readdir: counted.readdir as typeof readdir },
    signal: counted.signal,
  }).catch((error: unknown) => Promise.reject(counted.signal.aborted ? tooMany(name, entryLimit) : error));
  if (counted.signal.aborted) throw tooMany(name, entryLimit);
  return found
    .sort((one, other) => one.localeCompare(other, "en"))
    .map((file) => (isDirectory ? path.join(name, file) : file));
}

/** Reads directories until they have too many entries in total, such as those of a whole disk. */
function countedReading(entryLimit: number) {
  const controller = new AbortController();
  let entries = 0;
  return {
    signal: controller.signal,
    readdir: (
      directory: string,
      options: { withFileTypes: true },
      callback: (error: NodeJS.ErrnoException | null, found: unknown[]) => void,
    ) => {
      readdir(directory, options, (error, found) => {
        entries += found?.length ?? 0;
        if (entries > entryLimit) controller.abort();
        callback(error, controller.signal.aborted ? [] : found);
      });
    },
  };
}

function tooMany(name: string, entryLimit: number): UsageError {
  return new UsageError(
    "walk-too-long",
    `${name}: there are more than ${withCommas(entryLimit)} files and folders to search`,
    "start in a subfolder, or name the files",
  );
}
