import { stat } from "node:fs/promises";
import type { Explanation } from "../app-client/explain-outcome.ts";

export type FoundChromium =
  /** `path` is null for the one that playwright has downloaded, if it has. */
  { readonly ok: true; readonly path: string | null } | ({ readonly ok: false } & Explanation);

const INSTALL = "install Chrome or Chromium, or name one with the environment variable CHROME_PATH";

/**
 * The Chromium to start: the given one, or one that is installed.
 * @param executable path of the program
 */
export async function findChromium(executable: string | undefined): Promise<FoundChromium> {
  if (executable === undefined) return { ok: true, path: await findInstalled() };
  const isThere = await stat(executable).then(
    (found) => found.isFile(),
    () => false,
  );
  return isThere
    ? { ok: true, path: executable }
    : { ok: false, reason: `there is no program at ${executable}`, hint: INSTALL };
}

async function findInstalled(): Promise<string | null> {
  const { Launcher } = await import("chrome-launcher");
  try {
    return Launcher.getFirstInstallation() ?? null;
  } catch {
    // That is how it says on some systems that there is none.
    return null;
  }
}

/** What to say when there is no Chromium at all. */
export const noChromium: Explanation = {
  reason: "no Chrome or Chromium was found: not where programs are installed, nor one that playwright downloaded",
  hint: INSTALL,
};
