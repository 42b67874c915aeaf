import { lstat, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../journal/make-directory.ts";
import { isPrivateKey, type KeyStore } from "./key-pairs.ts";

/**
 * Keeps private keys in a directory (0600), so that an app that fetched the public key once can verify the next run's
 * tokens too. If the directory is not writable, each run has its own keys.
 * @param onTrouble gets a message about each file without a key
 */
export function keyFiles(directory: string, onTrouble: (message: string) => void): KeyStore {
  const damaged = new Set<string>();
  const tell = (name: string, why: string) => {
    if (damaged.has(name)) return;
    damaged.add(name);
    onTrouble(
      `the key file ${file(name)} ${why}: this run signs with a temporary key; delete the file to have a new one saved`,
    );
  };
  const file = (name: string) => path.join(directory, `key-${name}.json`);
  return {
    load: async (name) => {
      try {
        if (!(await lstat(file(name))).isFile()) {
          tell(name, "is not a regular file");
          return null;
        }
        const key: unknown = JSON.parse(await readFile(file(name), "utf8"));
        if (isPrivateKey(key)) return key;
        tell(name, "contains no private key");
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // If the directory is missing or unreadable, the journal reports it.
        if (error instanceof SyntaxError) tell(name, "is damaged");
        else if (code === "EACCES") tell(name, `cannot be read (${code})`);
      }
      return null;
    },
    save: async (name, key) => {
      try {
        makeDirectory(directory);
        await writeFile(file(name), JSON.stringify(key), { mode: 0o600, flag: "wx" });
      } catch {
        // Another run was faster, or the disk failed: this run uses its own key.
      }
    },
  };
}
