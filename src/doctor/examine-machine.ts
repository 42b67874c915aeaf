import { version as nodeVersion } from "node:process";
import type { Invocation } from "../action/invocation.ts";
import { createChromium } from "../browser/chromium.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type Diagnosis, passedCheck } from "./doctor-result.ts";

export function versionsOf({ version }: Invocation): Diagnosis {
  return passedCheck("versions", `app-sim ${version}, Node ${nodeVersion}`);
}

/**
 * Whether there is a browser for `--browser`, which frame guards need.
 * @param guards of the app; null if they are not known
 */
export async function browserOf(
  { env }: Invocation,
  guards: readonly { readonly type: string }[] | null,
): Promise<Diagnosis> {
  const isNeeded = guards?.some(({ type }) => type === "frame") === true;
  const unneeded = guards === null ? "only a frame guard needs one" : "no guard needs one";
  const lacking = (message: string, hint: string | null): Diagnosis => ({
    check: "browser",
    result: isNeeded ? "warned" : "skipped",
    message: `${message} (${isNeeded ? "testing a frame guard needs --browser" : unneeded})`,
    hint: isNeeded ? hint : null,
  });
  try {
    const opened = await createChromium().open(env.CHROME_PATH || undefined);
    if (!opened.ok) return lacking(opened.reason, opened.hint);
    await opened.release();
    return passedCheck("browser", "Chromium starts");
  } catch (error) {
    if (error instanceof UsageError) return lacking(error.message, error.hint);
    throw error;
  }
}
