import { pluralIndex } from "../../../config/plural-index.ts";
import type { Language } from "../../../protocol/language.ts";
import type { StringFound } from "./string-check.ts";

/** No rule of a language tells numbers above these from smaller ones. */
const numbers: readonly number[] = [
  ...Array.from({ length: 201 }, (_, n) => n),
  ...[1000, 1001, 1002, 1005, 1011, 10_000, 100_000, 1_000_000, 1_000_001, 1_000_002, 2_000_000, 1_000_000_000],
];

/** What is wrong with the plural expression of a language (interface 2.3): it picks a category for each integer. */
export function pluralRuleProblems({ pluralCategoryNames, pluralRules }: Language): StringFound[] {
  const problem = (message: string) => [{ path: "pluralRules", value: pluralRules, message }];
  const indexOf = pluralIndex(pluralRules);
  if (indexOf === null) return problem("is not a C expression over n");
  const wrong = numbers.find((n) => pluralCategoryNames[indexOf(n)] === undefined);
  if (wrong === undefined) return [];
  const indexes = pluralCategoryNames.length === 1 ? "only 0 is" : `0 to ${pluralCategoryNames.length - 1} are`;
  return problem(`gives ${indexOf(wrong)} for n = ${wrong}; ${indexes} in pluralCategoryNames`);
}
