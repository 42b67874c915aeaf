import type { Config } from "../config/schema.ts";
import { didYouMean } from "../protocol/nearest.ts";

type Keyed = readonly { readonly key: string }[];

/** Warns of settings for modules that no app declares: they have no effect, probably because of a typo. */
export function unknownSettings(
  { verify }: Pick<Config, "verify">,
  apps: readonly { readonly guards: Keyed; readonly webhooks: Keyed }[],
): string[] {
  return (
    [
      ["guards", "guard"],
      ["webhooks", "webhook"],
    ] as const
  ).flatMap(([type, name]) => {
    const declared = apps.flatMap((app) => app[type].map(({ key }) => key));
    return Object.keys(verify[type])
      .filter((key) => !declared.includes(key))
      .map((key) => `verify.${type}.${key}: no app declares this ${name}.${didYouMean(key, declared)}`);
  });
}
