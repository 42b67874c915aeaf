import { areas, type CheckFacts } from "../../checking/check.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { shellWord } from "../../output/shell-word.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { UsageError } from "../../protocol/usage-error.ts";

/** Which checks run. */
export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Whether slow checks run. */
export interface AskedFor {
  readonly slow?: boolean | undefined;
  /** How many random cases each check tries. */
  readonly fuzz?: number | undefined;
}

/** Why a check that needs a flag was not tried, and how to try it. */
export const untriedWithout = {
  slow: { reason: "it waits for a time limit, or may lock users out", hint: "app-sim verify --slow" },
  fuzz: { reason: "it sends random requests", hint: "app-sim verify --fuzz 100" },
} as const;

/** Whether a check was not tried because it needs a flag. */
export function waitsForFlag({ reason }: Pick<CheckResult, "reason">): boolean {
  return Object.values(untriedWithout).some((each) => each.reason === reason);
}

/** The flag that a check needs; null: none. */
export function flagNeeded({ isSlow, isRandom }: CheckFacts, { slow, fuzz }: AskedFor): "slow" | "fuzz" | null {
  if (isSlow === true && slow !== true) return "slow";
  return isRandom === true && fuzz === undefined ? "fuzz" : null;
}

/**
 * Whether a check is selected: `only` is empty or names it, and `skip` does not.
 * @param id the check's; an area, the beginning of an id up to a dot, or a pattern with `*` also matches it
 */
export function isSelected({ only, skip }: Selection, id: string): boolean {
  return (only.length === 0 || only.some((name) => names(name, id))) && !skip.some((name) => names(name, id));
}

function names(name: string, id: string): boolean {
  if (!name.includes("*")) return id === name || id.startsWith(`${name}.`);
  const parts = name.split("*").map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(id);
}

/** @throws UsageError for a name that selects no check */
export function requireKnown(checks: readonly CheckFacts[], { only, skip }: Selection): void {
  for (const name of [...only, ...skip]) {
    const isOnly = only.includes(name);
    if (areas.some((area) => area === name) || checks.some(({ id }) => names(name, id))) continue;
    const known = [...new Set([...areas, ...checks.flatMap(({ id }) => [id, groupOf(id)])])];
    const deeper = deeperName(name, checks);
    const near = deeper === null ? didYouMean(name, known) : "";
    const mayBeKey = near === "" && (deeper === null || !name.includes("."));
    throw new UsageError(
      "unknown-check",
      `there is no check "${name}".${deeper ?? near}`,
      `${mayBeKey ? moduleHint(name, isOnly) : ""}\`app-sim verify --list\` shows them all; an area (guard), the beginning of an id (guard.token) or a pattern (*.token.*) names several`,
    );
  }
}

/** The hint for a name that may be a module's key, which is unknown until the manifest is read. */
function moduleHint(name: string, isOnly: boolean): string {
  if (name.includes("*")) return "";
  const instead = isOnly ? `--module ${shellWord(name)}` : "name the others with --module KEY";
  return `is it the key of a module? Then ${instead}; `;
}

/** The intended name if parts were left out, such as guard.code for guard.final.code; null: there is none. */
function deeperName(name: string, checks: readonly CheckFacts[]): string | null {
  const wanted = name.split(".");
  for (const { id } of checks) {
    const parts = id.split(".");
    let matched = 0;
    const end = parts.findIndex((part) => {
      if (part === wanted[matched]) matched++;
      return matched === wanted.length;
    });
    if (end >= 0) return ` Did you mean "${parts.slice(0, end + 1).join(".")}"?`;
  }
  return null;
}

/** The area and the subject of a check, such as `guard.token`. */
export function groupOf(id: string): string {
  return id.split(".").slice(0, 2).join(".");
}
