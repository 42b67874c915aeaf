import { lstat } from "node:fs/promises";
import path from "node:path";
import { configFileNames } from "./config-file.ts";
import { directoriesAbove, directoriesUp } from "./repository.ts";

/**
 * Warnings about config files that a user may expect to be read, but that are not: next to the one that is, or above
 * the repository, where the search does not go.
 * @param place of the config file that was found; null if there is none
 */
export async function unreadConfigFiles(place: string | null, cwd: string): Promise<readonly string[]> {
  if (place !== null) {
    const { dir, base } = path.parse(place);
    const beside = await ownIn(dir);
    return beside
      .filter((name) => name !== base)
      .map((name) => `${path.join(dir, name)} is not read: ${base} in the same folder takes precedence`);
  }
  const top = directoriesUp(cwd).at(-1) ?? cwd;
  for (const directory of directoriesAbove(top)) {
    const [name] = await ownIn(directory);
    if (name === undefined) continue;
    const file = path.join(directory, name);
    return [
      `no config file is read: the search ends at ${top}, the top of its repository; --config ${file} reads it anyway`,
    ];
  }
  return [];
}

/** Config files in a directory that belong to this user or root: those of others are not recommended. */
async function ownIn(directory: string): Promise<readonly string[]> {
  const own = process.getuid?.();
  const found = await Promise.all(
    configFileNames.map(async (name) => {
      const facts = await lstat(path.join(directory, name)).catch(() => null);
      return facts !== null && (own === undefined || facts.uid === own || facts.uid === 0) ? [name] : [];
    }),
  );
  return found.flat();
}
