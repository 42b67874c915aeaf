import { lstat, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../journal/make-directory.ts";
import { isPrivateKey, type KeyStore } from "./key-pairs.ts";

/**
 * Keeps private keys in a directory (0600), so that an app that fetched the public key once can verify the tokens of
 * the next run as well. If the directory cannot be written, each run has its own keys.
 * @param onTrouble gets a message about each file that holds no key
 */
export function keyFiles(directory: string, onTrouble: (message: string) => void): KeyStore {
  const damaged = new Set<string>();
  const tell = (name: string, why: string) => {
    if (damaged.has(name)) return;
    damaged.add(name);
    onTrouble(
      `the key file ${file(name)} ${why}: this run signs with a key of its own; delete the file to keep a new one`,
    );
  };
  const file = (name: string) => path.join(directory, `key-${name}.json`);
  return {
    load: async (name) => {
      try {
        if (!(await lstat(file(name))).isFile()) {
          tell(name, "is no regular file");
          return null;
        }
        const key: unknown = JSON.parse(await readFile(file(name), "utf8"));
        if (isPrivateKey(key)) return key;
        tell(name, "holds no private key");
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // Where there is no directory or it cannot be read, the journal says so.
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
        // Another run was quicker, or the disk refuses: this run uses its own key.
      }
    },
  };
}
