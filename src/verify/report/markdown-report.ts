import type { Result } from "../../checking/check.ts";
import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { causesFirst } from "../causes-first.ts";
import { isFinding } from "../rules/known-findings.ts";
import { endLine } from "../text/closing-text.ts";
import { resultMarks } from "../text/finding-text.ts";
import { shortIds, skippedGroups } from "../text/groups.ts";
import { plainFinding } from "./plain-finding.ts";

const order: readonly Result[] = ["fail", "inconclusive", "warn"];

/** The result as Markdown, for example for a job summary or a comment. */
export function markdownReport(result: VerifyResult, evidences: ResultEvidence): string[] {
  const { outcome, reason, hint, checks, coverage } = result;
  const found = causesFirst(checks.filter(isFinding)).sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
  const exercised = coverage.filter((row) => row.result === "exercised").length;
  const skips = skippedGroups(checks);
  return [
    `## app-sim verify: ${outcome}`,
    "",
    escapeMarkdown(endLine(result)),
    ...(reason === null
      ? []
      : ["", `**${escapeMarkdown(reason)}**${hint === null ? "" : `: ${escapeMarkdown(hint)}`}`]),
    ...(found.length === 0 ? [] : ["", "| result | check | at | found |", "| --- | --- | --- | --- |"]),
    ...found.map(rowOf),
    ...found.flatMap((check) => details(check, evidences)),
    ...(skips.length === 0 ? [] : ["", "### Not tried", ""]),
    ...skips.map(
      ({ key, members }) =>
        `- ${members.length} skipped: ${escapeMarkdown(key)} (${escapeMarkdown(shortIds(members))})`,
    ),
    "",
    `The interface: ${exercised} of ${coverage.length} rows of its tables exercised.`,
  ];
}

function rowOf(check: CheckResult): string {
  const { id, result, subject, reason, known } = check;
  const { sign, word } = resultMarks[result];
  const state = known === null ? word : `${word}, known until ${known.until}`;
  return `| ${sign} ${state} | \`${id}\` | ${escapeMarkdown(subject)} | ${escapeMarkdown(reason ?? "")} |`;
}

function details(check: CheckResult, evidences: ResultEvidence): string[] {
  const lines = plainFinding(check, evidences).map((line) => line.replaceAll("`", "ˋ"));
  return ["", `<details><summary>${check.id}</summary>`, "", "```text", ...lines, "```", "", "</details>"];
}

/** Text from an app is shown literally, not as markup. */
export function escapeMarkdown(text: string): string {
  return harmlessLine(text).replace(/[\\`*_{}[\]<>|#@!~$]/g, (character) => `\\${character}`);
}
