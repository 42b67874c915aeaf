import type { UnusableModule } from "./manifest.ts";
import type { InstalledApp } from "./manifests.ts";

/**
 * Refuses what needs a module that is declared wrongly.
 * @param needs whether every module of the type is needed, or those of these keys
 * @throws UsageError with all that is wrong with its manifest
 */
export function requireUsable(
  apps: readonly InstalledApp[],
  type: UnusableModule["type"],
  needs: "every" | readonly string[] = "every",
): void {
  const isNeeded = ({ type: own, key }: UnusableModule) =>
    own === type && (needs === "every" || (key !== null && needs.includes(key)));
  for (const { manifest, refusal } of apps) {
    if (refusal !== undefined && manifest.unusable.some(isNeeded)) throw refusal;
  }
}
