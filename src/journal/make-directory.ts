import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a directory (0700) and its parents. One by one, because Node's recursive option loops for ever if the system
 * reports a missing parent that exists, as below /proc.
 */
export function makeDirectory(directory: string): void {
  const make = (path: string) => {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  };
  try {
    make(directory);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === directory) throw error;
    makeDirectory(parent);
    make(directory);
  }
}
