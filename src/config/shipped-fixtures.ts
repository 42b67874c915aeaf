import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the files shipped with app-sim. */
export const shippedFixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/**
 * The shipped file with the same name as a missing one; null if there is none.
 * @returns relative to the working directory
 */
export function shippedInstead(file: string): string | null {
  const [, name] = /(?:^|[\\/])fixtures[\\/](.+)$/.exec(file) ?? [];
  if (name === undefined) return null;
  const place = path.join(shippedFixtures, name);
  return existsSync(place) ? path.relative(process.cwd(), place) : null;
}
