import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Verification } from "../checking/unit.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import type { App } from "../config/schema.ts";
import { shellWord } from "../output/shell-word.ts";

/** The smallest case that failed a check. */
export interface FoundCase {
  /** On one line, made harmless. */
  readonly shown: string;
  /** Files to reproduce it, by the suffixes of their names; the first is the case itself. */
  readonly files: Readonly<Record<string, unknown>>;
  /** The beginning of the names of the files. */
  readonly name: string;
  /**
   * The commands that send it again, after `app-sim`.
   * @param files their paths, in order; empty if they are not saved
   */
  readonly commands: (files: readonly string[]) => readonly string[];
}

/** Where a case was saved; empty: nowhere. */
export interface SavedCase {
  /** Absolute paths, in the order of the files. */
  readonly files: readonly string[];
  /** Why they could not be written; null: they could. */
  readonly trouble: string | null;
}

/**
 * Saves the files of a case under unused names.
 * @param folder absolute; null: nothing is saved
 */
export async function saveFound(folder: string | null, { name, files }: FoundCase): Promise<SavedCase> {
  const entries = Object.entries(files);
  const saved: string[] = [];
  if (folder === null || entries.length === 0) return { files: saved, trouble: null };
  const safe = name.replaceAll(/[^\w.-]+/g, "_");
  try {
    await mkdir(folder, { recursive: true });
    for (const [end, content] of entries) saved.push(await writeNew(path.join(folder, safe + end), content));
    return { files: saved, trouble: null };
  } catch (error) {
    return { files: [], trouble: (error as Error).message };
  }
}

/** Writes a file without replacing existing ones. */
async function writeNew(wanted: string, content: unknown): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? `${wanted}.json` : `${wanted}-${number}.json`;
    try {
      await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Where the case is, and the commands that reproduce it, a line each. */
export function foundText(
  { commands }: FoundCase,
  { files, trouble }: SavedCase,
  {
    verification: { fuzz, seed, apps },
    check,
    app,
  }: { readonly verification: Verification; readonly check: CheckResult; readonly app: App },
): string {
  const only = [`--only ${check.id}`, ...(check.module === null ? [] : [`--module ${shellWord(check.module)}`])];
  const again = `verify ${only.join(" ")} --fuzz ${fuzz?.cases} --seed ${seed}`;
  // If several apps are configured, the configuration has their addresses.
  const flags = apps.length === 1 ? ` --app ${app.url}` : "";
  return [
    ...(files.length === 0 ? [] : [`saved as ${files.join(" and ")}`]),
    ...(trouble === null ? [] : [`it could not be saved: ${trouble}`]),
    ...[...commands(files.map(shellWord)), again].map((command) => `app-sim ${command}${flags}`),
  ].join("\n");
}
