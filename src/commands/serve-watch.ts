import { type FSWatcher, watch } from "node:fs";
import path from "node:path";

/** Editors change a file in several steps: it is looked at when it has been left alone for so long. */
const QUIET_MS = 100;

/**
 * Calls back each time one of the files was changed, also where an editor puts a new file in its place, or it is not
 * there yet: what is watched is the directory.
 * @param onTrouble told of a directory that cannot be watched
 */
export function watchFiles(
  files: readonly string[],
  onChange: () => void,
  onTrouble: (message: string) => void,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  };
  const watchers = [...new Set(files.map((file) => path.dirname(file)))].flatMap((directory): FSWatcher[] => {
    const names = files.filter((file) => path.dirname(file) === directory).map((file) => path.basename(file));
    const troubled = ({ message }: Error) =>
      onTrouble(`changes of ${names.join(", ")} go unnoticed: ${directory} cannot be watched: ${message}`);
    try {
      const watcher = watch(directory, (_, name) => {
        if (name === null || names.includes(name)) changed();
      });
      return [watcher.on("error", troubled)];
    } catch (error) {
      troubled(error as Error);
      return [];
    }
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
