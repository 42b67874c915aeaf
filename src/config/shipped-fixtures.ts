import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the files that come with app-sim. */
export const shippedFixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/**
 * The file of app-sim's own that has the name of a missing one; null: there is none.
 * @returns relative to the working directory
 */
export function shippedInstead(file: string): string | null {
  const [, name] = /(?:^|[\\/])fixtures[\\/](.+)$/.exec(file) ?? [];
  if (name === undefined) return null;
  const place = path.join(shippedFixtures, name);
  return existsSync(place) ? path.relative(process.cwd(), place) : null;
}
