import type { CheckResult } from "../../checking/verify-result.ts";
import { harmlessLine } from "../../protocol/harmless.ts";

/** Items with the same key. */
export interface Group<T> {
  readonly key: string;
  readonly members: readonly T[];
}

/** Groups items by key, in the order in which the keys first occur. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups].map(([key, members]) => ({ key, members }));
}

/** The part of a check's id that names what is checked: `guard.token` of guard.token.expired. */
export function kindOfCheck(id: string): string {
  return id.split(".").slice(0, -1).join(".");
}

/** The checks that were not tried, by reason: first what can be enabled, and of that the most checks first. */
export function skippedGroups(checks: readonly CheckResult[]): Group<CheckResult>[] {
  const skipped = checks.filter(({ result }) => result === "skip");
  const groups = grouped(skipped, ({ reason, subject }) => `${reason ?? ""}${reason === null ? subject : ""}`);
  const largestFirst = groups.toSorted((one, other) => other.members.length - one.members.length);
  return [true, false].flatMap((isWanted) => largestFirst.filter((group) => canBeEnabled(group) === isWanted));
}

/** Whether something is said of how to try the checks of a group. */
function canBeEnabled({ key, members }: Group<CheckResult>): boolean {
  return members.some(({ hint }) => hint !== null) || /\bconfig(uration| file)\b/.test(key);
}

/** Ids in short form: grouped, with a count if there are others, and with their modules. */
export function shortIds(checks: readonly { readonly id: string; readonly module: string | null }[]): string {
  const groups = grouped(checks, ({ id }) => id.split(".").slice(0, 2).join("."));
  const words = groups.map(({ key, members }) => {
    const ids = [...new Set(members.map(({ id }) => id))];
    if (ids.length === 1) return ids[0] ?? key;
    return groups.length === 1 ? `${key}.*` : `${key}.* (${ids.length})`;
  });
  return `${words.join(", ")}${atModules(checks)}`;
}

/** The modules of checks, in words: ` at terms, presence`; "" if they have none. */
export function atModules(checks: readonly { readonly module: string | null }[]): string {
  const modules = [...new Set(checks.flatMap(({ module }) => module ?? []))];
  return modules.length === 0 ? "" : ` at ${modules.map(harmlessLine).join(", ")}`;
}
