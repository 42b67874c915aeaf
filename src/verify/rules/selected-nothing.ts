import type { CheckFacts } from "../../checking/check.ts";
import type { Verification } from "../../checking/unit.ts";
import { unreadManifest } from "../../manifest-checks/read.ts";
import { isSelected, type Selection } from "./select.ts";

/**
 * Why a selection has no check to run, and what to do.
 * @param apps the apps, with their modules
 * @param wanted keys of the only modules to verify; none: all
 */
export function selectedNothing(
  checks: readonly CheckFacts[],
  selection: Selection,
  { apps, wanted }: { readonly apps: Verification["apps"]; readonly wanted: readonly string[] },
): string {
  const areas = [...new Set(checks.filter(({ id }) => isSelected(selection, id)).map(({ area }) => area))];
  if (areas.length === 0) {
    const all = selection.only.length === 0 ? "every check" : `every check of --only ${selection.only.join(",")}`;
    return `--skip ${selection.skip.join(",")} skips ${all}`;
  }
  const unread = apps.map(({ reading }) => reading).find(({ value }) => value === undefined);
  if (unread !== undefined) return unreadManifest(unread).reason ?? "no manifest was read";
  const modules = apps.flatMap(modulesOf);
  const there = modules.length === 0 ? "no module: `app-sim manifest` shows what it declares" : modules.join(", ");
  return wanted.length === 0
    ? `the selected checks are for ${areas.join(", ")}, but the manifest has ${there}`
    : `the selected checks are for ${areas.join(", ")}, but none of them is for --module ${wanted.join(",")}; the manifest has ${there}`;
}

/** The modules of an app, in words: `auth-guard network`. */
function modulesOf({ manifest: { guards, imports, webhooks } }: Verification["apps"][number]): string[] {
  return [
    ...guards.map(({ key }) => `auth-guard ${key}`),
    ...imports.map(({ key }) => `file-post-import ${key}`),
    ...webhooks.map(({ key }) => `webhook ${key}`),
  ];
}
