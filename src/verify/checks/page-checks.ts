import type { CheckFacts } from "../rules/check.ts";
import { formChecks, formTokenChecks } from "./page-form-checks.ts";
import { frameChecks, frameRequestChecks } from "./page-frame-checks.ts";
import { openPageChecks, type PagePlatform } from "./page-open-checks.ts";
import { failedPageChecks, returnChecks } from "./page-return-checks.ts";

const somewhere: PagePlatform = { url: "https://platform.example", domain: "acme" };
const opened = (["redirect", "frame"] as const).flatMap((type) => openPageChecks(type, somewhere));

/** Every check of area `page`. */
export const pageChecks: readonly CheckFacts[] = [
  ...new Map(opened.map((check) => [check.id, check])).values(),
  ...formTokenChecks,
  ...formChecks,
  ...returnChecks(somewhere),
  ...failedPageChecks(somewhere),
  ...frameChecks,
  ...frameRequestChecks,
];
