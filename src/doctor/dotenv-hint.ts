import { readFile } from "node:fs/promises";
import path from "node:path";
import { variablesInDotenv } from "../config/dotenv.ts";
import type { App } from "../config/schema.ts";

/** Where apps keep their variables. */
const files = [".env", ".env.local"];

/** What an app and the platform have to agree about, by the end of a variable's name, and the variable of app-sim. */
const shared: readonly [end: RegExp, member: "clientId" | "clientSecret" | "appSecret", variable: string][] = [
  [/CLIENT_?ID$/i, "clientId", "APP_SIM_CLIENT_ID"],
  [/CLIENT_?SECRET$/i, "clientSecret", "APP_SIM_CLIENT_SECRET"],
  [/APP_?SECRET$/i, "appSecret", "APP_SIM_APP_SECRET"],
];

/**
 * Whether the app's own file has the id and secrets that app-sim uses, which is the usual reason of a refused call, and
 * what to do; null: it has none of them. Values are never told.
 */
export async function dotenvHint(directory: string, apps: readonly App[]): Promise<string | null> {
  for (const file of files) {
    const text = await readFile(path.join(directory, file), "utf8").catch(() => "");
    const found = [...variablesInDotenv(text)].flatMap(([name, value]) => {
      const [, member, variable] = shared.find(([end]) => end.test(name)) ?? [];
      // Of a reference to another variable the value is not known.
      if (member === undefined || value.includes("$")) return [];
      return [{ name, variable, isSame: apps.some((app) => app[member] === value) }];
    });
    const other = found.filter(({ isSame }) => !isSame);
    if (other.length > 0) {
      const [names, own] = [other.map(({ name }) => name), other.map(({ variable }) => variable)];
      return `${file} has other values than app-sim for ${names.join(", ")}: put those of \`app-sim env\` there, or give app-sim the app's own with ${[...new Set(own)].join(", ")}`;
    }
    if (found.length > 0) {
      return `${file} has the values of app-sim: was the app started with it, such as by node --env-file=${file}?`;
    }
  }
  return null;
}
