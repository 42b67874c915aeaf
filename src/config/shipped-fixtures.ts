import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the files that come with app-sim. */
export const shippedFixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The file that comes with app-sim and is named as this one, which is missing, relative to the working directory; null: none. */
export function shippedInstead(file: string): string | null {
  const [, name] = /(?:^|[\\/])fixtures[\\/](.+)$/.exec(file) ?? [];
  if (name === undefined) return null;
  const place = path.join(shippedFixtures, name);
  return existsSync(place) ? path.relative(process.cwd(), place) : null;
}
