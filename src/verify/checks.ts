import type { CheckFacts } from "../checking/check.ts";
import { randomChecks } from "../fuzz-checks/checks.ts";
import { guardChecks } from "../guard-checks/checks.ts";
import { pageChecks } from "../guard-checks/pages/checks.ts";
import { importChecks } from "../import-checks/checks.ts";
import { manifestChecks } from "../manifest-checks/checks.ts";
import { oauthChecks } from "../oauth-checks/checks.ts";
import { webhookChecks } from "../webhook-checks/checks.ts";

/** All checks, in the order of docs/checks.md. */
export const allChecks: readonly CheckFacts[] = [
  ...manifestChecks,
  ...guardChecks,
  ...pageChecks,
  ...importChecks,
  ...webhookChecks,
  ...oauthChecks,
  ...randomChecks,
];
