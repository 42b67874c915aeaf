import type { Exchange } from "../../../journal/exchange.ts";
import { everythingIn } from "../walk/answer.ts";

/** The place of what a page in a frame sends to the window around it, other than by the platform's script. */
export const MESSAGES = "a message to any window";

/** Whether the page and its scripts address every message to any window. */
export function areForAnyWindow(exchanges: readonly Exchange[]): boolean {
  const code = exchanges.map(everythingIn).join("\n");
  const forAny = code.match(/postMessage\s*\([^;]*?(["'`])\*\1/g) ?? [];
  return forAny.length > 0 && forAny.length === code.match(/postMessage\s*\(/g)?.length;
}
