import { lstat } from "node:fs/promises";
import path from "node:path";
import { configFileNames } from "./config-file.ts";
import { directoriesAbove, directoriesUp } from "./repository.ts";

/**
 * What is said of config files that somebody may expect to be read, and that are not: beside the one that is, or above
 * the repository, where nobody searches.
 * @param place of the config file that was found; null: there is none
 */
export async function passedOver(place: string | null, cwd: string): Promise<readonly string[]> {
  if (place !== null) {
    const { dir, base } = path.parse(place);
    const beside = await ownIn(dir);
    return beside
      .filter((name) => name !== base)
      .map((name) => `${path.join(dir, name)} is not read: ${base} beside it goes before it`);
  }
  const top = (await directoriesUp(cwd)).at(-1) ?? cwd;
  for (const directory of await directoriesAbove(top)) {
    const [name] = await ownIn(directory);
    if (name === undefined) continue;
    const file = path.join(directory, name);
    return [
      `no config file is read: the search ends at ${top}, the top of its repository; --config ${file} reads that`,
    ];
  }
  return [];
}

/** The config files in a directory that this user, or root, put there: others' are nobody's to recommend. */
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
