import type { BrowserContext } from "playwright-core";
import { atMost, type Clock } from "../app-client/ports.ts";

/** Chromium needs some hundredths of a second. */
const CLOSING_MS = 2_000;

/**
 * Closes what a visit had of a Chromium. Chromium sometimes never answers that a context is closed, so this waits for a
 * while only: when the last visit is over, Chromium ends with all that is left.
 */
export function closeContext(context: Pick<BrowserContext, "close">, clock: Clock): Promise<void> {
  return atMost(clock, CLOSING_MS, context.close());
}
