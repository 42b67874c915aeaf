import type { Config } from "../config/schema.ts";
import { didYouMean } from "../protocol/nearest.ts";

/** The keys of the modules that the apps declare. */
export interface DeclaredKeys {
  readonly guards: readonly string[];
  readonly webhooks: readonly string[];
}

/** Warns of settings for modules that no app declares: they have no effect, probably because of a typo. */
export function unknownSettings({ verify }: Pick<Config, "verify">, declared: DeclaredKeys): string[] {
  return (
    [
      ["guards", "guard"],
      ["webhooks", "webhook"],
    ] as const
  ).flatMap(([type, name]) =>
    Object.keys(verify[type])
      .filter((key) => !declared[type].includes(key))
      .map((key) => `verify.${type}.${key}: no app declares this ${name}.${didYouMean(key, declared[type])}`),
  );
}
