import { type StringRecord, stringRecordSchema } from "../../../protocol/import-job.ts";
import { problemsOf, valueAtPath } from "../../../protocol/problems.ts";
import { fieldChecks } from "./field-checks.ts";
import { pluralChecks } from "./plural-checks.ts";
import { FOUND_PER_STRING, type StringCheck, type StringFound } from "./string-check.ts";
import { textChecks } from "./text-checks.ts";

/**
 * Everything that is checked of each string of an answer that has the shape of interface 2.5. An untouched string has
 * no findings: what is wrong in the job is not the app's fault. None throws, whatever a record holds.
 */
export const stringChecks: readonly StringCheck[] = [...pluralChecks, ...fieldChecks, ...textChecks];

/** A record of more values is refused unread: each of them could be a fault of its own. */
const RECORD_VALUES = 20_000;

function isSmallEnough(value: unknown): boolean {
  let left = RECORD_VALUES;
  const rest: unknown[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue;
    left -= Array.isArray(next) ? next.length : Object.keys(next).length;
    if (left < 0) return false;
    rest.push(...Object.values(next).filter((member) => typeof member === "object"));
  }
  return true;
}

export type CheckedRecord =
  | { readonly ok: true; readonly record: StringRecord }
  | { readonly ok: false; readonly found: readonly StringFound[] };

/** Whether a value has the shape of a string record (interface 2.5), and each place where it has not. */
export function recordProblems(value: unknown): CheckedRecord {
  if (!isSmallEnough(value)) {
    const message = `holds more than ${RECORD_VALUES.toLocaleString("en-US")} values: a string record is not that large`;
    return { ok: false, found: [{ path: "", value: null, message }] };
  }
  const parsed = stringRecordSchema.safeParse(value);
  if (parsed.success) return { ok: true, record: parsed.data };
  const problems = problemsOf(parsed.error, value).slice(0, FOUND_PER_STRING);
  return {
    ok: false,
    found: problems.map(({ path, message }) => ({ path, value: valueAtPath(value, path), message })),
  };
}
