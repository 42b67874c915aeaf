import { lstatSync } from "node:fs";

/**
 * Whether there is a file or directory at this path, or a link, broken or not. Synchronous, because a search asks some
 * fifty times, and awaiting an answer takes ten times as long as the answer.
 */
export function pathExists(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
