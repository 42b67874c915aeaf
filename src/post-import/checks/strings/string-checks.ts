import { type StringRecord, stringRecordSchema } from "../../../protocol/import-job.ts";
import { problemsOf, valueAtPath } from "../../../protocol/problems.ts";
import { withCommas } from "../../../protocol/with-commas.ts";
import { fieldChecks } from "./field-checks.ts";
import { pluralChecks } from "./plural-checks.ts";
import { FAULTS_PER_STRING, type StringFault } from "./string-check.ts";
import { textChecks } from "./text-checks.ts";

/**
 * Everything that is checked of each string of an answer that has the shape of interface 2.5. An untouched string has
 * no findings: what is wrong in the job is not the app's fault. None throws, whatever a record holds.
 */
export const stringChecks = [
  ...Object.entries(pluralChecks).map(([id, check]) => ({ id, section: "2.5", result: "fail", ...check }) as const),
  ...Object.entries({ ...fieldChecks, ...textChecks }).map(
    ([id, check]) => ({ id, section: "2.5", result: "warn", ...check }) as const,
  ),
];

/** A record of more values is refused unread: each of them could be a fault of its own. */
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

/** Parses a string record (interface 2.5), or finds each place where it has not that shape. */
export function parseRecord(
  value: unknown,
): { readonly ok: true; readonly record: StringRecord } | { readonly ok: false; readonly faults: StringFault[] } {
  if (!isSmallEnough(value)) {
    const message = `holds more than ${withCommas(RECORD_VALUES)} values: a string record is not that large`;
    return { ok: false, faults: [{ path: "", value: null, message }] };
  }
  const parsed = stringRecordSchema.safeParse(value);
  if (parsed.success) return { ok: true, record: parsed.data };
  const problems = problemsOf(parsed.error, value).slice(0, FAULTS_PER_STRING);
  return { ok: false, faults: problems.map((problem) => ({ ...problem, value: valueAtPath(value, problem.path) })) };
}
