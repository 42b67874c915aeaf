import { readdir } from "node:fs/promises";
import path from "node:path";
import { configFileNames } from "./config-file.ts";

/** A file that was probably meant as a config file, but has another name, so that nothing reads it. */
export interface LookAlike {
  readonly name: string;
  /** The name under which it would be read. */
  readonly right: string;
}

/** The look-alikes of a config file in a directory. */
export async function configLookAlikes(directory: string): Promise<readonly LookAlike[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => (named.test(name) || unnamed.test(name)) && !configFileNames.includes(name))
    .sort()
    .map((name) => {
      const right = `app-sim.config${path.extname(name).toLowerCase()}`;
      return { name, right: configFileNames.includes(right) ? right : "app-sim.config.json" };
    });
}

const named =
  /^\.?app[-_.]?sim[-_.]?(?:conf|config|configuration|rc|settings)\.(?:jsonc?|json5|ya?ml|toml|[cm]?[jt]s)$/i;
const unnamed = /^\.?app[-_.]?sim(?:[-_.]?rc|\.jsonc?|\.ya?ml)$/i;
