import type { BrowserContext, Page } from "playwright-core";
import { atMost, type Clock } from "../app-client/ports.ts";

/** Chromium usually needs some hundredths of a second. */
const CLOSING_MS = 2_000;

/**
 * Closes the browser context of a visit. Chromium sometimes never confirms that, so this waits only for a while: when
 * the last visit is over, Chromium ends with everything that is left.
 */
export function closeContext(context: Pick<BrowserContext, "close">, clock: Clock): Promise<void> {
  return atMost(clock, CLOSING_MS, context.close());
}

/** Closes pages of a browser context that is used again, within the same time limit. */
export async function closePages(pages: readonly Pick<Page, "close">[], clock: Clock): Promise<void> {
  const closings = pages.map((page) => page.close().catch(() => {}));
  await atMost(clock, CLOSING_MS, Promise.all(closings));
}
