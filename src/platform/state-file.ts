import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceFile } from "../journal/replace-file.ts";

/** Where the state of a platform is kept from run to run. */
export interface StateStore {
  /** What was saved last; null: nothing, or nothing that can be read. */
  load(): unknown;
  /** Saves the state soon; it is asked for when it is written. */
  save(state: () => unknown): void;
  /** Forgets what was saved. */
  clear(): void;
  /** Writes what is still to be saved. */
  close(): void;
}

/** A platform that issues many tokens a second writes its state so often at most. */
const PAUSE_MS = 200;

/**
 * Keeps the state of the platform at a port beside its journal, `state-PORT.json` (0600: it holds tokens). It is replaced as a
 * whole, so that one who is killed while writing leaves the state before.
 * @param onTrouble gets one message if the disk refuses; the state then lives as long as the process
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
      if (!isInTrouble) onTrouble(`cannot keep the state of the platform in ${file}: ${(error as Error).message}`);
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
        if (!isMissing) onTrouble(`${file} cannot be read, and is begun anew: ${(error as Error).message}`);
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
