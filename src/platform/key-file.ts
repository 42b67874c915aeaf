import { lstat, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../journal/make-directory.ts";
import type { KeyStore } from "./key-pairs.ts";

/**
 * Keeps private keys in a directory (0600), so that an app that fetched the public key once can verify the tokens of
 * the next run as well. If the directory cannot be written, each run has its own keys.
 */
export function keyFiles(directory: string): KeyStore {
  const file = (name: string) => path.join(directory, `key-${name}.json`);
  return {
    load: async (name) => {
      try {
        if (!(await lstat(file(name))).isFile()) return null;
        return JSON.parse(await readFile(file(name), "utf8"));
      } catch {
        return null;
      }
    },
    save: async (name, key) => {
      try {
        makeDirectory(directory);
        await writeFile(file(name), JSON.stringify(key), { mode: 0o600, flag: "wx" });
      } catch {
        // Another run was quicker, or the disk refuses: this run uses its own key.
      }
    },
  };
}
