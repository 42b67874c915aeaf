import { execFileSync } from "node:child_process";

/** Whether these programs are on this machine. */
export function hasTools(...tools: readonly string[]): boolean {
  try {
    for (const tool of tools) execFileSync("sh", ["-c", 'command -v "$0"', tool]);
    return true;
  } catch {
    return false;
  }
}
