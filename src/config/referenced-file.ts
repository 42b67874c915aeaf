import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../protocol/usage-error.ts";
import { liesWithin } from "./file-places.ts";
import { repositoryTop } from "./repository.ts";
import { shippedFixtures } from "./shipped-fixtures.ts";

/** A file whose name is in another file. */
export interface Reference {
  /** As written. */
  readonly name: string;
  /** The directory of the file that contains the name, which is relative to it. */
  readonly directory: string;
  /** What it is, for messages: `job.json: file.path`. */
  readonly what: string;
  /** Further directories and files that it may be in. */
  readonly allowed: readonly string[];
}

/**
 * Resolves a file whose name is in another file. A fixture, scenario or folder may come from anybody, and the files it
 * names are sent to the app: they must be in the same folder, its repository, the working directory, or where the user
 * allowed it (hardening S30).
 * @throws UsageError if it is elsewhere, whatever links lead there; it is not opened
 */
export async function referencedFile({ name, directory, what, allowed }: Reference): Promise<string> {
  const place = path.resolve(directory, name);
  // A missing file is reported when it is read.
  const file = await realpath(place).catch(() => null);
  if (file === null) return place;
  const folder = await real(directory);
  const repository = repositoryTop(folder);
  const folders = [folder, process.cwd(), shippedFixtures, ...allowed, ...(repository === null ? [] : [repository])];
  for (const each of folders) if (liesWithin(file, await real(each))) return file;
  throw new UsageError(
    "file-outside",
    `${what}: ${name} is outside the folder of the file that names it and outside the working directory, so it is not read`,
    `--allow-path ${path.dirname(file)} allows it, if you are sure that it may be sent to the app`,
  );
}

function real(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}
