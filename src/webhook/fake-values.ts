import type { Faker } from "@faker-js/faker";
import { seededRandom } from "../platform/random.ts";
import { LARGEST_WEBHOOK_BYTES } from "../protocol/limits.ts";

/** Makes a random value. */
export type MakeValue = (...args: readonly unknown[]) => unknown;

const leftOut: readonly string[] = [
  // These would resolve templates in their arguments, by looser rules.
  "helpers.fake",
  "helpers.mustache",
  // These never return if their length is not a number.
  "string.nanoid",
  "string.sample",
  // This writes a deprecation warning to stderr.
  "image.urlLoremFlickr",
];

/**
 * The values of the package faker, in English, by their names there (`string.uuid`): a closed list, so that a template
 * can reach nothing else.
 * @param now random times are near this one, in milliseconds since the epoch
 */
export async function loadFakeValues(seed: number, now: number): Promise<ReadonlyMap<string, MakeValue>> {
  const { faker: english } = await import("@faker-js/faker/locale/en");
  // A separate one, because the package's own is shared by the whole process. Importing its class would load all
  // languages, which takes five times as long.
  const OwnFaker = english.constructor as typeof Faker;
  const draws = countedDraws(seed);
  const faker = new OwnFaker({
    locale: english.rawDefinitions,
    randomizer: { next: draws.next, seed() {} },
    config: { defaultRefDate: () => new Date(now) },
  });
  const values = new Map<string, MakeValue>();
  for (const [module, members] of Object.entries(faker)) {
    for (const [member, make] of Object.entries(members)) {
      const name = `${module}.${member}`;
      if (typeof make === "function" && !leftOut.includes(name))
        values.set(name, bounded(name, make as MakeValue, draws));
    }
  }
  return values;
}

/** Random numbers that one value may use: enough for a hundred thousand words. */
const MOST_DRAWS = 300_000;
/** Number of characters, words, decimal places and the like. */
const LARGEST_SIZE = 100_000;
/**
 * Arguments that bound a value, not how many things are made, and the modules that use them so; `number.int(7)` is a
 * bound, too.
 */
const boundNames = /^(min|max|from|to|refDate)$/;
const valuesFirst = /^(number|date)\./;
const boundModules = /^(number|date|finance|commerce|location)\./;

/** Random numbers, limited in how many one value may use. */
function countedDraws(seed: number) {
  const random = seededRandom(seed);
  let left = 0;
  return {
    begin() {
      left = MOST_DRAWS;
    },
    next() {
      left -= 1;
      if (left < 0) throw new Error("this makes too much: use smaller numbers or another pattern");
      return random();
    },
  };
}

/**
 * Refuses calls of any module that would keep the process busy for long (hardening S20): by the sizes in the arguments,
 * by how many random numbers they use, and by the size of the value.
 */
function bounded(name: string, make: MakeValue, draws: { begin(): void }): MakeValue {
  return (...args) => {
    const sizes = valuesFirst.test(name) ? args.filter((arg) => typeof arg !== "number") : args;
    const largest = Math.max(0, ...sizesIn(sizes, boundModules.test(name)));
    if (largest > LARGEST_SIZE) throw new Error(`${largest} is too much: at most ${LARGEST_SIZE}`);
    draws.begin();
    const value = make(...args);
    if (typeof value === "string" && value.length > LARGEST_WEBHOOK_BYTES) throw new Error("this makes too much");
    return value;
  };
}

/** How many things the arguments ask for; in a pattern, the sum of the numbers in braces. */
function sizesIn(value: unknown, hasBounds: boolean): number[] {
  if (typeof value === "number") return [value];
  if (typeof value === "string") {
    const repeats = [...value.matchAll(/\d+(?=[\d,\s]*\})/g)].map(([digits]) => Number(digits));
    return [repeats.reduce((sum, count) => sum + count, 0)];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (hasBounds && boundNames.test(name)) return [];
    // faker treats anything with a length as a text or a list.
    return sizesIn(name === "length" && typeof member === "string" ? Number(member) : member, hasBounds);
  });
}
