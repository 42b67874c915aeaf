import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "./make-directory.ts";

/**
 * Replaces a file atomically, creating its folder if needed: a process that is killed while writing leaves the old
 * content.
 * @param mode permissions, such as 0o600
 * @throws Error of the file system
 */
export function replaceFile(file: string, content: string, mode: number): void {
  makeDirectory(path.dirname(file));
  const next = `${file}.${process.pid}`;
  writeFileSync(next, content, { mode });
  renameSync(next, file);
}
