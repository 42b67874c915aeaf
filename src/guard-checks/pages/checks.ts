import type { CheckFacts } from "../../checking/check.ts";
import { formChecks, formTokenChecks } from "./form/form-checks.ts";
import { formLeftCheck } from "./form/verify-scripted.ts";
import { frameChecks, frameRequestChecks } from "./frame/frame-checks.ts";
import { frameMistypedCheck } from "./mistyped-in-browser.ts";
import { openPageChecks } from "./opening/open-checks.ts";
import type { PagePlatform } from "./opening/opened-page.ts";
import { scriptTextsCheck } from "./opening/script-texts.ts";
import { reachedCheck } from "./reached.ts";
import { failedPageChecks } from "./return/error-checks.ts";
import { ledCallCheck } from "./return/led-call-check.ts";
import { returnChecks } from "./return/return-checks.ts";
import { frameSwitchedCheck } from "./shared-logins.ts";

const somewhere: PagePlatform = { url: "https://platform.example", domain: "acme" };

/** Every check of area `page`, for a page that is opened from this platform. */
export function pageChecksAt(platform: PagePlatform): readonly CheckFacts[] {
  const opened = (["redirect", "frame"] as const).flatMap((type) => openPageChecks(type, platform));
  return [
    ...new Map(opened.map((check) => [check.id, check])).values(),
    scriptTextsCheck,
    reachedCheck,
    formLeftCheck,
    ...formTokenChecks,
    ...formChecks,
    ...returnChecks(platform),
    ...failedPageChecks(platform),
    ...frameChecks,
    frameSwitchedCheck,
    frameMistypedCheck,
    ...frameRequestChecks,
    ledCallCheck,
  ];
}

/** Every check of area `page`. */
export const pageChecks = pageChecksAt(somewhere);
