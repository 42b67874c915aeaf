import type { CheckFacts } from "../checking/check.ts";
import type { ManifestReading } from "../checking/declared-app.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import { entriesOf, type ManifestEntry } from "../platform/usable-manifest.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { valueText } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { unreadManifest } from "./read.ts";
import type { ManifestCheck } from "./reading.ts";

/** A rule of interface 2.1 about what a manifest says. */
export interface ManifestRule extends Pick<CheckFacts, "id" | "title" | "why" | "fix" | "choices"> {
  readonly severity?: CheckFacts["severity"];
  /** Every place that breaks the rule. */
  readonly problems: (value: unknown, terms: RuleTerms) => readonly Problem[];
}

/** What a rule needs, apart from the manifest. */
export type RuleTerms = Pick<ManifestReading, "origins" | "guardType">;

const SHOWN_PROBLEMS = 5;
const PROBLEM_CHARACTERS = 240;

/** The check of a rule, which names every place that breaks it. */
export function manifestRule({ problems, severity = "must", ...rule }: ManifestRule): ManifestCheck {
  const facts: CheckFacts = { area: "manifest", section: "2.1", severity, ...rule };
  return {
    ...facts,
    judge(reading) {
      const { value, ...terms } = reading;
      if (value === undefined) return unreadManifest(reading);
      const found = problems(value, terms);
      if (found.length === 0) return PASSED;
      const shown = found
        .slice(0, SHOWN_PROBLEMS)
        .map(({ path, message }) => harmlessLine(`${path} ${message}`.trim()));
      const rest = found.length > shown.length ? [`… and ${found.length - shown.length} more`] : [];
      return faulty(facts, [...shown.map((text) => clip(text, PROBLEM_CHARACTERS)), ...rest].join("; "));
    },
  };
}

/** The problems of each entry of a type, or of all known types. */
export function inEntries(
  types: readonly string[],
  problem: (entry: ManifestEntry["entry"], type: string, terms: RuleTerms) => Readonly<Record<string, string | null>>,
): ManifestRule["problems"] {
  return (value, terms) =>
    types.flatMap((type) =>
      entriesOf(value, type).flatMap(({ entry, path }) =>
        Object.entries(problem(entry, type, terms)).flatMap(([field, message]) =>
          message === null ? [] : [{ path: `${path}.${field}`, message }],
        ),
      ),
    );
}

/** Why a value is not a non-empty string; null: it is. */
export function textProblem(value: unknown): string | null {
  if (value === undefined) return "is missing";
  if (typeof value !== "string") return `is ${valueText(value)}, not a string`;
  return value.trim() === "" ? "is empty" : null;
}

/** What is wrong with an optional value. */
export function whereGiven(value: unknown, problem: (value: unknown) => string | null): string | null {
  return value === undefined ? null : problem(value);
}

export function objectProblem(value: unknown): string | null {
  return isJsonObject(value) ? null : `is ${valueText(value)}, not an object`;
}
