import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceFile } from "../journal/replace-file.ts";

/** Keeps the state of a platform between runs. */
export interface StateStore {
  /** The last saved state; null if there is none, or none that can be read. */
  load(): unknown;
  /** Saves the state soon; the function is called when it is written. */
  save(state: () => unknown): void;
  /** Discards the saved state. */
  clear(): void;
  /** Writes what has not been saved yet. */
  close(): void;
}

/** Minimum pause between writes, for a platform that issues many tokens a second. */
const PAUSE_MS = 200;

/**
 * Keeps the state of the platform on a port next to its journal, `state-PORT.json` (0600: it contains tokens). It is
 * replaced atomically, so a process that is killed while writing leaves the previous state.
 * @param onTrouble gets one message if the disk fails; the state then lives as long as the process
 */
export function stateFile(directory: string, port: number, onTrouble: (message: string) => void): StateStore {
  const file = path.join(directory, `state-${port}.json`);
  let pending: (() => unknown) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isInTrouble = false;
  const unlessDiskFails = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!isInTrouble) onTrouble(`cannot save the state of the platform in ${file}: ${(error as Error).message}`);
      isInTrouble = true;
    }
  };
  const write = () => {
    const state = pending;
    pending = null;
    if (state === null) return;
    unlessDiskFails(() => replaceFile(file, JSON.stringify(state()), 0o600));
  };
  return {
    load() {
      try {
        return JSON.parse(readFileSync(file, "utf8"));
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        if (!isMissing) onTrouble(`${file} cannot be read, so a new one is started: ${(error as Error).message}`);
        return null;
      }
    },
    save(state) {
      const isDue = timer === undefined;
      pending = state;
      if (!isDue) return;
      write();
      timer = setTimeout(() => {
        timer = undefined;
        write();
      }, PAUSE_MS);
      timer.unref();
    },
    clear() {
      pending = null;
      unlessDiskFails(() => rmSync(file, { force: true }));
    },
    close() {
      clearTimeout(timer);
      write();
    },
  };
}
