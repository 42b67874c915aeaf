import { guardChecks } from "./checks/guard-checks.ts";
import { importChecks } from "./checks/import-checks.ts";
import { manifestChecks } from "./checks/manifest-checks.ts";
import { oauthChecks } from "./checks/oauth-checks.ts";
import { pageChecks } from "./checks/page-checks.ts";
import { webhookChecks } from "./checks/webhook-checks.ts";
import type { CheckFacts } from "./rules/check.ts";

/** Every check there is, in the order of docs/checks.md. */
export const allChecks: readonly CheckFacts[] = [
  ...manifestChecks,
  ...guardChecks,
  ...pageChecks,
  ...importChecks,
  ...webhookChecks,
  ...oauthChecks,
];
