import { stat } from "node:fs/promises";
import path from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";

/**
 * The files that an argument names: itself, those in a directory (at any depth, but for installed packages), or those
 * of a glob pattern, for shells that leave it as it is. None where directory or pattern holds none.
 * @param within patterns of the files of a directory that count
 */
export async function filesNamed(cwd: string, name: string, within: readonly string[]): Promise<string[]> {
  const facts = await stat(path.resolve(cwd, name)).catch(() => null);
  // A name that is no file and no pattern is told of by whoever reads it.
  if (facts?.isDirectory() !== true && (facts !== null || !isDynamicPattern(name))) return [name];
  const isDirectory = facts !== null;
  const found = await glob(isDirectory ? within : [name], {
    cwd: isDirectory ? path.resolve(cwd, name) : cwd,
    ignore: ["**/node_modules/**"],
    onlyFiles: true,
    expandDirectories: false,
  });
  return found
    .sort((one, other) => one.localeCompare(other, "en"))
    .map((file) => (isDirectory ? path.join(name, file) : file));
}
