import { type StringRecord, stringRecordSchema } from "../../../protocol/import-job.ts";
import { problemsOf, valueAtPath } from "../../../protocol/problems.ts";
import { withCommas } from "../../../protocol/with-commas.ts";
import { fieldChecks } from "./field-checks.ts";
import { pluralChecks } from "./plural-checks.ts";
import { FAULTS_PER_STRING, type StringFault } from "./string-check.ts";
import { textChecks } from "./text-checks.ts";

/**
 * All checks of single strings with the shape of interface 2.5. An untouched string has no findings: faults of the job
 * are not the app's. None throws, whatever a record holds.
 */
export const stringChecks = [
  ...Object.entries(pluralChecks).map(([id, check]) => ({ id, section: "2.5", result: "fail", ...check }) as const),
  ...Object.entries({ ...fieldChecks, ...textChecks }).map(
    ([id, check]) => ({ id, section: "2.5", result: "warn", ...check }) as const,
  ),
];

/** Records with more values are refused unread: each value could be a fault. */
const RECORD_VALUES = 20_000;

function isSmallEnough(value: unknown): boolean {
  let left = RECORD_VALUES;
  const rest: unknown[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const members = Object.values(next);
    left -= members.length;
    if (left < 0) return false;
    rest.push(...members.filter((member) => typeof member === "object"));
  }
  return true;
}

/** Parses a string record (interface 2.5), or finds every place where its shape is wrong. */
export function parseRecord(
  value: unknown,
): { readonly ok: true; readonly record: StringRecord } | { readonly ok: false; readonly faults: StringFault[] } {
  if (!isSmallEnough(value)) {
    const message = `has more than ${withCommas(RECORD_VALUES)} values: a string record is not that large`;
    return { ok: false, faults: [{ path: "", value: null, message }] };
  }
  const parsed = stringRecordSchema.safeParse(value);
  if (parsed.success) return { ok: true, record: parsed.data };
  const problems = problemsOf(parsed.error, value).slice(0, FAULTS_PER_STRING);
  return { ok: false, faults: problems.map((problem) => ({ ...problem, value: valueAtPath(value, problem.path) })) };
}
