import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * The requested names, and those below them: `guard.jwt` includes `guard.jwt.claims`. None requested: all.
 * @throws UsageError for an unknown name
 */
export function namedAmong<Name extends string>(
  names: readonly Name[],
  asked: readonly string[],
  what: string,
  hint: string,
): readonly Name[] {
  if (asked.length === 0) return names;
  const isBelow = (name: string, above: string) =>
    name === above || name.startsWith(`${above}.`) || name.startsWith(`${above}[`);
  for (const each of asked) {
    if (names.some((name) => isBelow(name, each))) continue;
    throw new UsageError("name-unknown", `there is no ${what} ${each}.${didYouMean(each, names)}`, hint);
  }
  return names.filter((name) => asked.some((each) => isBelow(name, each)));
}
