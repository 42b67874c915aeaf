import { homedir } from "node:os";
import path from "node:path";
import { pathExists } from "./path-exists.ts";

/** The home directory; null for a container user who has none. */
function homeDirectory(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}

/** The directories from this one upwards: to the top of its repository, the home directory, or the root. */
export function directoriesUp(directory: string): readonly string[] {
  const home = homeDirectory();
  const directories: string[] = [];
  for (let current = path.resolve(directory); ; current = path.dirname(current)) {
    directories.push(current);
    const isEnd = current === home || current === path.dirname(current);
    if (isEnd || isRepositoryTop(current)) return directories;
  }
}

/** The directories above the top of a repository, to the home directory or the root; empty for other directories. */
export function directoriesAbove(top: string): readonly string[] {
  const home = homeDirectory();
  const directories: string[] = [];
  if (!isRepositoryTop(top)) return directories;
  for (let current = top; current !== home && current !== path.dirname(current); ) {
    current = path.dirname(current);
    directories.push(current);
  }
  return directories;
}

/**
 * The top of the repository that contains a directory; null if there is none, or if the whole home directory is one.
 */
export function repositoryTop(directory: string): string | null {
  const top = directoriesUp(directory).at(-1) ?? directory;
  return top !== homeDirectory() && isRepositoryTop(top) ? top : null;
}

function isRepositoryTop(directory: string): boolean {
  return pathExists(path.join(directory, ".git"));
}
