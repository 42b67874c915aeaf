import { unwatchFile, watchFile } from "node:fs";

/** Soon enough for a person who saves a file, seldom enough to cost nothing. */
const LOOK_MS = 500;

/**
 * Calls back each time one of the files was changed. They are looked at again and again rather than watched: so it does
 * not matter how an editor or a build puts a new file, or a whole new directory, in the place of the old one.
 */
export function watchFiles(files: readonly string[], onChange: () => void): Disposable {
  for (const file of files) watchFile(file, { interval: LOOK_MS }, onChange);
  return {
    [Symbol.dispose]() {
      for (const file of files) unwatchFile(file, onChange);
    },
  };
}
