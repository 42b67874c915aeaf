import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "./make-directory.ts";

/**
 * Writes a file as a whole, its folder if needed: one who is killed while writing leaves what was there before.
 * @param mode permissions, such as 0o600
 * @throws Error of the file system
 */
export function replaceFile(file: string, content: string, mode: number): void {
  makeDirectory(path.dirname(file));
  const next = `${file}.${process.pid}`;
  writeFileSync(next, content, { mode });
  renameSync(next, file);
}
