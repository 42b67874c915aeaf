import fc from "fast-check";
import { type JobStrings, stringsInMemory } from "../../src/post-import/files/job-strings.ts";
import type { Changes } from "../../src/post-import/import-result.ts";
import { StringComparison } from "../../src/post-import/rules/string-comparison.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";

/** Strings that others are compared with. */
export function knownStrings(records: readonly StringRecord[]): JobStrings {
  return stringsInMemory(records, (uniqId) => {
    throw new Error(`${uniqId} is there twice`);
  });
}

/** A comparison that has taken all these strings. */
export function comparisonOf(
  sent: readonly StringRecord[],
  received: readonly StringRecord[],
  omittedAre: "removed" | "unchanged" = "removed",
): StringComparison {
  const comparison = new StringComparison(knownStrings(sent), omittedAre);
  for (const [place, string] of received.entries()) comparison.take(string, place);
  return comparison;
}

/** What is said of strings that came back. */
export function changesBetween(...strings: Parameters<typeof comparisonOf>): Changes {
  return comparisonOf(...strings).changes();
}

/** Changes in which all is as it was. */
export function allUnchanged(count: number): Changes {
  return { changed: 0, added: 0, removed: 0, unchanged: count, hidden: 0, relabelled: 0, strings: [] };
}

/** As JSON gives them. */
const plainObjects = { noNullPrototype: true };

const statuses = fc.constantFrom("untranslated" as const, "translated" as const, "approved" as const);

function byCategory<T>(categories: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.record(Object.fromEntries(categories.map((category) => [category, value])), plainObjects);
}

/** Languages by their ids, each with its plural categories. */
type Categories = Readonly<Record<string, readonly string[]>>;

function recordsOf(hasPlurals: boolean, texts: fc.Arbitrary<string>, source: readonly string[], targets: Categories) {
  const textIn = (categories: readonly string[]) => (hasPlurals ? byCategory(categories, texts) : texts);
  const statusIn = (categories: readonly string[]) =>
    hasPlurals ? fc.oneof(statuses, byCategory(categories, statuses)) : statuses;
  const translationInto = (categories: readonly string[]) =>
    fc.record(
      { text: textIn(categories), status: fc.option(statusIn(categories)) },
      { requiredKeys: ["text"], ...plainObjects },
    );
  const translations = Object.entries(targets).map(([id, categories]) => [id, translationInto(categories)]);
  const required = {
    uniqId: fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
    identifier: texts,
    text: textIn(source),
  };
  const optional = {
    context: fc.option(texts),
    maxLength: fc.option(fc.nat()),
    isHidden: fc.option(fc.boolean()),
    labels: fc.option(fc.array(texts, { maxLength: 3 })),
    attributes: fc.option(fc.record({ platformType: fc.option(texts) }, { requiredKeys: [], ...plainObjects })),
    translations: fc.option(fc.record(Object.fromEntries(translations), { requiredKeys: [], ...plainObjects })),
  };
  const plural = hasPlurals ? fc.constant({ hasPlurals }) : fc.constantFrom({}, { hasPlurals }, { hasPlurals: null });
  return fc
    .tuple(fc.record(required, plainObjects), fc.record(optional, { requiredKeys: [], ...plainObjects }), plural)
    .map((parts): StringRecord => Object.assign({}, ...parts));
}

/** Strings of a job as interface 2.5 allows them, plural and not, each with a uniqId of its own. */
export function legalStrings({
  maxLength,
  texts = fc.string({ unit: "grapheme", maxLength: 8 }),
  source = ["one", "other"],
  targets = { uk: ["one", "other"], pl: ["one", "other"], "pt-BR": ["one", "other"] },
}: {
  readonly maxLength: number;
  readonly texts?: fc.Arbitrary<string>;
  readonly source?: readonly string[];
  readonly targets?: Categories;
}): fc.Arbitrary<StringRecord[]> {
  const records = [false, true].map((hasPlurals) => recordsOf(hasPlurals, texts, source, targets));
  return fc.uniqueArray(fc.oneof(...records), { selector: ({ uniqId }) => uniqId, maxLength });
}
