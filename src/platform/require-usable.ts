import type { Manifest, UnusableModule } from "./manifest.ts";
import type { InstalledApp } from "./manifests.ts";

const usableOf = {
  "auth-guard": ({ guards }: Manifest) => guards,
  "file-post-import": ({ imports }: Manifest) => imports,
  webhook: ({ webhooks }: Manifest) => webhooks,
} as const;

/**
 * Refuses an action that needs a module with an invalid declaration.
 * @param needs whether every module of the type is needed, any one of them, or those with these keys
 * @throws UsageError with all that is wrong with its manifest
 */
export function requireUsable(
  apps: readonly InstalledApp[],
  type: keyof typeof usableOf,
  needs: "every" | "any" | readonly string[],
): void {
  if (needs === "any" && apps.some(({ manifest }) => usableOf[type](manifest).length > 0)) return;
  const known = apps.flatMap(({ manifest }) => usableOf[type](manifest).map(({ key }) => key));
  const isNeeded = ({ type: own, key }: UnusableModule) =>
    own === type &&
    (typeof needs === "string" ||
      (key !== null && needs.includes(key)) ||
      // Without its own key, it may be the one.
      needs.some((wanted) => !known.includes(wanted)));
  for (const { manifest, refusal } of apps) {
    if (refusal !== undefined && manifest.unusable.some(isNeeded)) throw refusal;
  }
}
