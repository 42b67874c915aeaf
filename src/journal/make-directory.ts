import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory (0700) and those above it. One by one, because Node's own recursive way never ends where the
 * system answers that the parent is missing although it is there, as below /proc.
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
