import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../protocol/usage-error.ts";
import { repositoryTop } from "./repository.ts";
import { shippedFixtures } from "./shipped-fixtures.ts";

/** A file that another file names. */
export interface Reference {
  /** As it is named. */
  readonly name: string;
  /** The directory of the file that names it, to which the name is relative. */
  readonly directory: string;
  /** What it is, for messages: `job.json: file.path`. */
  readonly what: string;
  /** Directories and files in which it may be besides. */
  readonly allowed: readonly string[];
}

/**
 * Where a file really is that another file names. A fixture, scenario or folder may come from anybody, and what it names
 * is sent to the app: it must be in the same folder, its repository, the working directory, or where the user allowed it
 * (hardening S30).
 * @throws UsageError when it is elsewhere, whatever links lead there; it is not opened
 */
export async function referencedFile({ name, directory, what, allowed }: Reference): Promise<string> {
  const place = path.resolve(directory, name);
  // One that is missing is reported by whoever reads it.
  const file = await realpath(place).catch(() => null);
  if (file === null) return place;
  const folder = await real(directory);
  const repository = await repositoryTop(folder);
  const folders = [folder, process.cwd(), shippedFixtures, ...allowed, ...(repository === null ? [] : [repository])];
  for (const each of folders) if (isWithin(file, await real(each))) return file;
  throw new UsageError(
    "file-outside",
    `${what}: ${name} is outside of the folder that names it and of the working directory, so it is not read`,
    `--allow-path ${path.dirname(file)} allows it, if you know that it may be sent`,
  );
}

function real(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

function isWithin(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative === "" || !(relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}
