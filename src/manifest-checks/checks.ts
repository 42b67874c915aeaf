import type { CheckFacts } from "../checking/check.ts";
import { addressChecks } from "./addresses.ts";
import { manifestEntryChecks } from "./entries.ts";
import { manifestNameChecks } from "./names.ts";
import { manifestPatternChecks } from "./patterns.ts";
import { manifestReadChecks } from "./read.ts";
import type { ManifestCheck } from "./reading.ts";

/** The checks of a manifest as it was read. */
export const readingChecks: readonly ManifestCheck[] = [
  ...manifestReadChecks,
  ...manifestEntryChecks,
  ...manifestPatternChecks,
  ...manifestNameChecks,
];

/** Every check of area `manifest`. */
export const manifestChecks: readonly CheckFacts[] = [...readingChecks, ...Object.values(addressChecks)];
