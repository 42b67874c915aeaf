import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { endLine } from "../text/closing-text.ts";
import { plainFinding } from "./plain-finding.ts";

/** The result as TAP, version 14: a test point for each check, with the facts of a finding as YAML. */
export function tapReport(result: VerifyResult, evidences: ResultEvidence): string[] {
  const { checks, reason } = result;
  const total = checks.length + (reason === null ? 0 : 1);
  return [
    "TAP version 14",
    `1..${total}${total === 0 ? " # SKIP there were no checks to run" : ""}`,
    ...checks.flatMap((check, index) => testPoint(check, index + 1, evidences)),
    ...(reason === null ? [] : [`not ok ${total} - the run: ${escapeTap(harmlessLine(reason))}`]),
    `# ${endLine(result)}`,
  ];
}

/** A known finding is a TODO: it may fail. */
function testPoint(check: CheckResult, number: number, evidences: ResultEvidence): string[] {
  const { result, known } = check;
  const isOk = result === "pass" || result === "skip" || result === "warn";
  const place = check.module === null ? "" : ` [${harmlessLine(check.module)}]`;
  const directive =
    result === "skip"
      ? ` # SKIP ${escapeTap(harmlessLine(check.reason ?? ""))}`
      : known === null
        ? ""
        : ` # TODO known until ${known.until}: ${escapeTap(harmlessLine(known.reason))}`;
  const line = `${isOk ? "ok" : "not ok"} ${number} - ${escapeTap(`${check.id}${place}: ${check.title}`)}${directive}`;
  if (result === "pass" || result === "skip") return [line];
  return [line, "  ---", ...diagnostics(check, evidences), "  ..."];
}

/** JSON is valid YAML. */
function diagnostics(check: CheckResult, evidences: ResultEvidence): string[] {
  return [
    `  result: ${JSON.stringify(check.result)}`,
    `  message: ${JSON.stringify(harmlessLine(check.reason ?? ""))}`,
    "  facts:",
    ...plainFinding(check, evidences).map((line) => `    - ${JSON.stringify(line)}`),
  ];
}

function escapeTap(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("#", "\\#");
}
