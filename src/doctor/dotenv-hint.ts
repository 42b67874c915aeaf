import { readFile } from "node:fs/promises";
import path from "node:path";
import { variablesInDotenv } from "../config/dotenv.ts";
import type { App } from "../config/schema.ts";

/** Where apps keep their variables. */
const files = [".env", ".env.local"];

/** Values that an app and the platform must share, by the end of a variable's name, and the variable of app-sim. */
const shared: readonly [end: RegExp, member: "clientId" | "clientSecret" | "appSecret", variable: string][] = [
  [/CLIENT_?ID$/i, "clientId", "APP_SIM_CLIENT_ID"],
  [/CLIENT_?SECRET$/i, "clientSecret", "APP_SIM_CLIENT_SECRET"],
  [/APP_?SECRET$/i, "appSecret", "APP_SIM_APP_SECRET"],
];

/**
 * Whether the app's own file has the id and secrets that app-sim uses, which is the usual reason for a refused call,
 * and what to do; null if it has none of them. The values are never shown.
 */
export async function dotenvHint(directory: string, apps: readonly App[]): Promise<string | null> {
  for (const file of files) {
    const text = await readFile(path.join(directory, file), "utf8").catch(() => "");
    const found = [...variablesInDotenv(text)].flatMap(([name, value]) => {
      const [, member, variable] = shared.find(([end]) => end.test(name)) ?? [];
      // The value of a reference to another variable is not known.
      if (member === undefined || value.includes("$")) return [];
      return [{ name, variable, isSame: apps.some((app) => app[member] === value) }];
    });
    const other = found.filter(({ isSame }) => !isSame);
    if (other.length > 0) {
      const [names, own] = [other.map(({ name }) => name), other.map(({ variable }) => variable)];
      return `Your ${file} has different values than app-sim for ${names.join(", ")}: put those of \`app-sim env\` there, or give app-sim the app's own with ${[...new Set(own)].join(", ")}`;
    }
    if (found.length > 0) {
      return `Your ${file} has the values of app-sim: was the app started with it, such as by node --env-file=${file}?`;
    }
  }
  return null;
}
