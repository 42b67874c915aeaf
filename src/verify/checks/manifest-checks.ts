import type { CheckFacts } from "../rules/check.ts";
import type { ManifestCheck } from "../rules/manifest-reading.ts";
import { addressChecks } from "./manifest-addresses.ts";
import { manifestEntryChecks } from "./manifest-entries.ts";
import { manifestNameChecks } from "./manifest-names.ts";
import { manifestReadChecks } from "./manifest-read.ts";

/** The checks of a manifest as it was read. */
export const readingChecks: readonly ManifestCheck[] = [
  ...manifestReadChecks,
  ...manifestEntryChecks,
  ...manifestNameChecks,
];

/** Every check of area `manifest`. */
export const manifestChecks: readonly CheckFacts[] = [...readingChecks, ...Object.values(addressChecks)];
