import type { Failure } from "../../platform/result-parts.ts";
import type { GuardExploration } from "./explore-guard.ts";
import type { ExploredRow, ExploreResult } from "./explore-result.ts";
import { ACCEPTED_MADE_UP_CODE } from "./explore-rows.ts";
import type { CallTrouble } from "./explore-trials.ts";

type Verdict = Pick<ExploreResult, "outcome" | "reason" | "hint" | "failure">;

/** The failures, those first that say most about where to look. */
const precedence: readonly Failure[] = ["interrupted", "unreachable", "timed-out", null, "other"];

/**
 * What an exploration comes to as a whole.
 * @param end what ended it before its time
 */
export function explorationVerdict(
  rows: readonly ExploredRow[],
  explorations: readonly GuardExploration[],
  end: CallTrouble | null,
): Verdict {
  const [failed] = [...(end === null ? [] : [end]), ...explorations.flatMap(troublesOf)].sort(
    (one, other) => precedence.indexOf(one.failure) - precedence.indexOf(other.failure),
  );
  if (failed !== undefined) return { outcome: "failed", ...failed };
  const complete = { outcome: "complete", reason: null, hint: null, failure: null } as const;
  if (explorations.length === 0)
    return { ...complete, outcome: "incomplete", reason: "there is no auth-guard module to explore" };
  const possible = rows.filter(({ status }) => status !== "not-possible");
  const missing = possible.filter(({ status }) => status !== "seen").map(({ row }) => row);
  if (missing.length === 0) return complete;
  const [rowsAre, were] = missing.length === 1 ? ["row", "was"] : ["rows", "were"];
  const reason = `${rowsAre} ${missing.join(", ")} of the table can be taken, and ${were} not`;
  return { ...complete, outcome: "incomplete", reason };
}

function troublesOf({ guard, trouble, acceptedMadeUpCode }: GuardExploration): CallTrouble[] {
  const { module } = guard;
  return [
    ...(trouble === null ? [] : [{ ...trouble, reason: `${module}: ${trouble.reason}` }]),
    ...(acceptedMadeUpCode === null
      ? []
      : [{ reason: `${module}: ${ACCEPTED_MADE_UP_CODE}`, hint: null, failure: null }]),
  ];
}
