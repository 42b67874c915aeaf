import { logRow } from "../log/log-rows.ts";
import { plural } from "../output/text.ts";
import { clip } from "../protocol/harmless.ts";
import { escapeMarkdown } from "../verify/report/markdown-report.ts";
import { differenceText } from "../verify/text/finding-facts.ts";
import { countKinds, failuresIn, outcomeOf, type ReportedFinding, type ReportFacts } from "./report-facts.ts";

/** A pull request is read, not searched. */
const MOST_ROWS = 30;
const CELL_CHARACTERS = 200;

/** A report as a summary in Markdown, for a pull request: the outcome, the findings, and the failures. */
export function markdownSummary(facts: ReportFacts): string {
  const { command, records, verifications, redactor, versions, notes } = facts;
  const { text, isGood } = outcomeOf(facts);
  const findings = verifications.flatMap((verification) => verification.findings);
  const failures = failuresIn(records);
  const sign = isGood === null ? "" : isGood ? "✓ " : "✗ ";
  const failed = failures.slice(0, MOST_ROWS).map((record) => {
    const { id, what, result, where } = logRow(record, redactor);
    return [what, result, where, id];
  });
  const lines = [
    `<!-- app-sim report -->`,
    `## app-sim: ${sign}${text}`,
    "",
    ...(command === null ? [] : [`Command: ${escapeMarkdown(command.line)}`, ""]),
    ...notes.flatMap((note) => [`**${escapeMarkdown(note)}**`, ""]),
    ...table(
      ["what", "count", "failed or refused"],
      countKinds(records).map(({ kind, count, failed: bad }) => [kind, String(count), String(bad)]),
    ),
    ...groupedFindings(findings).flatMap(findingLines),
    ...(failed.length === 0 ? [] : ["### What failed or was refused", ""]),
    ...table(["what", "result", "where or why", "exchange"], failed),
    ...(failures.length > failed.length ? [`And ${plural(failures.length - failed.length, "other")}.`, ""] : []),
    `app-sim ${versions.appSim}, Node ${versions.node}; secrets are hidden.`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Groups the findings of one check that are the same in several places. */
function groupedFindings(findings: readonly ReportedFinding[]): ReportedFinding[][] {
  const groups = new Map<string, ReportedFinding[]>();
  for (const finding of findings) {
    const { id, result, reason } = finding.check;
    const key = JSON.stringify([id, result, reason]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}

/** The findings of a group are the same: the first shows how the request differed. */
function findingLines(group: readonly ReportedFinding[]): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { check, facts } = first;
  const detail = (label: string, text: string) => (text === "" ? [] : [`- ${label}: ${cell(text)}`]);
  return [
    `### ${check.result}: \`${check.id}\` ${escapeMarkdown(check.title)}`,
    "",
    ...group.flatMap((each) => detail("at", each.check.subject)),
    ...detail("found", check.reason ?? ""),
    ...facts.differences.flatMap((difference) =>
      detail("differs from the accepted request in", differenceText(difference)),
    ),
    ...detail("how to fix it", facts.fix),
    ...detail("section", facts.section),
    "",
  ];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map((row) => line(row.map(cell))), ""];
}

function cell(text: string): string {
  return escapeMarkdown(clip(text, CELL_CHARACTERS));
}
