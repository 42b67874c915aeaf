import type { Faker } from "@faker-js/faker";

/** Makes a random value. */
export type MakeValue = (...args: readonly unknown[]) => unknown;

const leftOut: readonly string[] = [
  // These would resolve templates in their arguments, by wider rules.
  "helpers.fake",
  "helpers.mustache",
  // These never end when their length is anything but a number.
  "string.nanoid",
  "string.sample",
  // This writes a deprecation to stderr.
  "image.urlLoremFlickr",
];

/**
 * The values of the package faker, in English, by their names there (`string.uuid`): a closed list, so that a template
 * reaches nothing else.
 * @param now random times are near to it, in milliseconds since the epoch
 */
export async function loadFakeValues(seed: number, now: number): Promise<ReadonlyMap<string, MakeValue>> {
  const { faker: english } = await import("@faker-js/faker/locale/en");
  // A separate one, because the package's own is shared by the whole process. Importing its class would load all
  // languages, which takes five times as long.
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

/** Functions that make as much as their arguments say. */
const sized = /^(string|lorem|word|hacker|helpers|internet|system|image|git|date\.betweens$)/;
/** Characters, words and the like. */
const LARGEST_SIZE = 100_000;

/** Refuses sizes that would keep the process busy for long. */
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
