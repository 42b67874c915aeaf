import { chromiumPath } from "./browser.ts";

/** Runs once, before all tests: they know only where the Chromium of the tests is. */
export async function setup(): Promise<void> {
  await chromiumPath();
}
