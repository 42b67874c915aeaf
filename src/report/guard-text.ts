import { harmlessLine } from "../protocol/harmless.ts";
import type { GuardResult, GuardStage } from "../simulator/results.ts";
import type { Paint } from "./paint.ts";
import { choicesLine, type ExchangeLines, indent, markOf } from "./text.ts";

/** A login as lines: each stage, and for each guard what was sent and what came back. */
export function guardText(result: GuardResult, exchanges: ExchangeLines, paint: Paint): string[] {
  const { user, ipAddress } = result;
  const width = Math.max(...result.stages.map((stage) => nameOf(stage).length));
  return [
    `Login as ${paint.strong(user.role)} (user ${user.id}) from ${ipAddress}`,
    "",
    ...result.stages.flatMap((stage) => stageLines(stage, width, exchanges, paint)),
    "",
    verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

function stageLines(stage: GuardStage, width: number, exchanges: ExchangeLines, paint: Paint): string[] {
  const reason = stage.reason === undefined ? "" : `: ${harmlessLine(stage.reason)}`;
  const text = `${stage.result === "needs-user" ? "needs a user" : stage.result}${reason}`;
  return [
    `  ${markOf(stage.result, paint)} ${nameOf(stage).padEnd(width)} ${stage.result === "skipped" ? paint.quiet(text) : text}`,
    ...indent(stage.exchanges.flatMap(exchanges), 6),
    ...indent(
      (stage.warnings ?? []).map((warning) => paint.caution(`warning: ${harmlessLine(warning)}`)),
      6,
    ),
    ...indent(stage.hint === undefined ? [] : [`hint: ${harmlessLine(stage.hint)}`], 6),
  ];
}

function nameOf({ stage, module, type }: GuardStage): string {
  return module === undefined ? stage : `guard ${harmlessLine(module)} (${type})`;
}

function verdict({ outcome, deniedBy, reason, hint, stages }: GuardResult, paint: Paint): string {
  const why = reason === null ? "" : `: ${harmlessLine(reason)}`;
  switch (outcome) {
    case "granted":
      return paint.good("Access granted");
    case "needs-user":
      return paint.caution(`Not granted, a user is needed${why}`);
    case "denied": {
      const by = deniedBy === null ? "" : ` by ${harmlessLine(deniedBy)}`;
      const shownAbove = stages.some((stage) => stage.hint === hint);
      return (
        paint.bad(`Access denied${by}${why}`) + (hint === null || shownAbove ? "" : `\nhint: ${harmlessLine(hint)}`)
      );
    }
  }
}
