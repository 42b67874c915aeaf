import type { Faker } from "@faker-js/faker";

/** Makes a value by chance. */
export type MakeValue = (...args: readonly unknown[]) => unknown;

const leftOut: readonly string[] = [
  // These would read templates out of their arguments again, by wider rules.
  "helpers.fake",
  "helpers.mustache",
  // These never end when their length is anything but a number.
  "string.nanoid",
  "string.sample",
  // This writes to stderr that it is old.
  "image.urlLoremFlickr",
];

/**
 * What the package faker makes, in English, by the names that it has there (`string.uuid`): a closed list, so that a
 * template reaches nothing else.
 * @param seed the same one gives the same values
 * @param now what times are near to, in milliseconds since the epoch
 */
export async function loadFakeValues(seed: number, now: number): Promise<ReadonlyMap<string, MakeValue>> {
  const { faker: english } = await import("@faker-js/faker/locale/en");
  // One of our own, for the package's is shared by all of the process. Its class comes with all languages only, and
  // those take five times as long to load.
  const OwnFaker = english.constructor as typeof Faker;
  const faker = new OwnFaker({
    locale: english.rawDefinitions,
    seed,
    config: { defaultRefDate: () => new Date(now) },
  });
  const values = new Map<string, MakeValue>();
  for (const [module, members] of Object.entries(faker)) {
    for (const [member, make] of Object.entries(members)) {
      const name = `${module}.${member}`;
      if (typeof make === "function" && !leftOut.includes(name)) values.set(name, make as MakeValue);
    }
  }
  return values;
}
