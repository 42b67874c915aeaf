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
      if (typeof make === "function" && !leftOut.includes(name)) values.set(name, bounded(name, make as MakeValue));
    }
  }
  return values;
}

/** What makes as much as its arguments say. */
const sized = /^(string|lorem|word|hacker|helpers|internet|system|image|git|date\.betweens$)/;
/** Characters, words, or whatever is counted. */
const LARGEST_SIZE = 100_000;

/** Refuses sizes that would keep the process busy for as long as somebody likes. */
function bounded(name: string, make: MakeValue): MakeValue {
  if (!sized.test(name)) return make;
  return (...args) => {
    const largest = Math.max(0, ...numbersIn(args));
    if (largest > LARGEST_SIZE) throw new Error(`${largest} is too much: at most ${LARGEST_SIZE}`);
    return make(...args);
  };
}

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
