import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const FOLDER = resolve(import.meta.dirname, "../../../shared/real");

/**
 * Absolute paths of the post-import jobs (interface 2.3) made from real projects' files, in the order of
 * their numbers. They are no part of this repository: the list is empty where they do not lie beside it.
 */
export function realJobs(): string[] {
  if (!existsSync(FOLDER)) return [];
  const names = readdirSync(FOLDER).filter((name) => /^[0-9].*\.json$/.test(name));
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map((name) => join(FOLDER, name));
}
