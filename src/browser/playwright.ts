import { createRequire } from "node:module";
import path from "node:path";
import type { BrowserType } from "playwright-core";
import { UsageError } from "../protocol/usage-error.ts";

const packages = ["playwright-core", "playwright"];

/**
 * Where Playwright is installed: in the app's project, which is the working directory, or with app-sim. It is an
 * optional peer, because few runs need it and it is larger than all of app-sim.
 * @throws UsageError if it is in neither
 */
export function findPlaywright(): string {
  for (const from of [path.resolve("app-sim.config.json"), import.meta.url]) {
    for (const name of packages) {
      const found = resolveFrom(from, name);
      if (found !== null) return found;
    }
  }
  throw new UsageError(
    "playwright-missing",
    "a browser is driven by Playwright, which is not installed in this project",
    "npm install --save-dev playwright-core; it uses the Chrome or Chromium that you have",
  );
}

/**
 * What starts Chromium.
 * @throws UsageError if Playwright is not installed
 */
export function loadChromium(): BrowserType {
  return createRequire(import.meta.url)(findPlaywright()).chromium;
}

function resolveFrom(file: string, name: string): string | null {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return null;
  }
}
