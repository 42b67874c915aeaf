import { readPluralExpression } from "../../../config/plural-expression.ts";
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
  const read = tryRead(pluralRules);
  if (!read.ok) return problem(`is no C expression over n: ${read.reason}`);
  const count = pluralCategoryNames.length;
  const wrong = numbers.find((n) => !isIndex(read.indexOf(n), count));
  if (wrong === undefined) return [];
  const last = count === 1 ? "0 is the only place" : `0 to ${count - 1} are the places`;
  return problem(`gives ${read.indexOf(wrong)} for n = ${wrong}; ${last} in pluralCategoryNames`);
}

type Read =
  | { readonly ok: true; readonly indexOf: (n: number) => number }
  | { readonly ok: false; readonly reason: string };

function tryRead(pluralRules: string): Read {
  try {
    return { ok: true, indexOf: readPluralExpression(pluralRules) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, reason: error.message };
    throw error;
  }
}

function isIndex(value: number, count: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < count;
}
