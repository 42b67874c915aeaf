import type { CheckFacts } from "../rules/check.ts";
import { failedPageChecks } from "./page-error-checks.ts";
import { formChecks, formTokenChecks } from "./page-form-checks.ts";
import { frameChecks, frameRequestChecks } from "./page-frame-checks.ts";
import type { PagePlatform } from "./page-look.ts";
import { openPageChecks } from "./page-open-checks.ts";
import { returnChecks } from "./page-return-checks.ts";

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
