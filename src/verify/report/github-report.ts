import { appendFile } from "node:fs/promises";
import type { Invocation } from "../../action/invocation.ts";
import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import { tellWarning } from "../../output/tell.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { causesFirst } from "../causes-first.ts";
import { isFinding } from "../rules/known-findings.ts";
import { endLine } from "../text/closing-text.ts";
import { markdownReport } from "./markdown-report.ts";
import { plainFinding } from "./plain-finding.ts";

/** The findings as workflow commands, which GitHub shows as annotations; then the numbers. */
export function githubAnnotations(result: VerifyResult, evidences: ResultEvidence): string[] {
  const { reason, checks } = result;
  return [
    // GitHub shows ten per step.
    ...causesFirst(checks.filter(isFinding)).map((check) => annotation(check, evidences)),
    ...(reason === null ? [] : [`::error title=app-sim verify::${escapeData(harmlessLine(reason))}`]),
    `app-sim verify: ${endLine(result)}`,
  ];
}

function annotation(check: CheckResult, evidences: ResultEvidence): string {
  const { id, result, known, module } = check;
  const level = known !== null ? "notice" : result === "warn" ? "warning" : "error";
  const title = `${id}${module === null ? "" : ` at ${module}`}`;
  const lines = [
    ...(known === null ? [] : [`known until ${known.until}: ${harmlessLine(known.reason)}`]),
    ...plainFinding(check, evidences),
  ];
  return `::${level} title=${escapeProperty(harmlessLine(title))}::${escapeData(lines.join("\n"))}`;
}

/**
 * In a job of GitHub Actions: the annotations in addition to a text report, and the job summary. A summary that cannot
 * be written is reported, but does not fail the run.
 */
export async function reportAfterwards(
  invocation: Pick<Invocation, "env" | "format" | "out" | "err" | "errWidth">,
  result: VerifyResult,
  evidences: ResultEvidence,
): Promise<void> {
  const { env, format, out } = invocation;
  if (env.GITHUB_ACTIONS !== "true") return;
  if (format === "text") out(`${githubAnnotations(result, evidences).slice(0, -1).join("\n")}\n`);
  const file = env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === "") return;
  await appendFile(file, `${markdownReport(result, evidences).join("\n")}\n`).catch((error: Error) => {
    tellWarning(invocation, `the summary of the job cannot be written: ${error.message}`);
  });
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
