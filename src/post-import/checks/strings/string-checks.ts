import { type StringRecord, stringRecordSchema } from "../../../protocol/import-job.ts";
import { isJsonObject } from "../../../protocol/json-object.ts";
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
  return {
    ok: false,
    faults: problems.map(({ path, message }) => ({
      path,
      value: valueAtPath(value, path),
      message: isTextPath(path) ? textMessage(value, path, message) : message,
    })),
  };
}

/** A regular expression would overflow the stack on a name of megabytes (hardening S25). */
function isTextPath(path: string): boolean {
  const [first, , last, ...more] = path.length > LONGEST_TEXT_PATH ? [] : path.split(".");
  return path === "text" || (first === "translations" && last === "text" && more.length === 0);
}

const LONGEST_TEXT_PATH = 200;

/** CLDR's names of plural categories. */
const categoryNames = ["zero", "one", "two", "few", "many", "other"];

/** What is wrong with a text of the wrong type: `hasPlurals` decides which type is right. */
function textMessage(record: unknown, path: string, message: string): string {
  const within = valueAtPath(record, path.replace(/\.?text$/, ""));
  const forms = isJsonObject(within) ? Object.keys(within).filter((name) => categoryNames.includes(name)) : [];
  if (forms.length > 0 && message.startsWith("is missing"))
    return `is missing: ${forms.join(", ")} belong in it, as {"text": {"${forms[0]}": "…"}}`;
  const isPlural = valueAtPath(record, "hasPlurals") === true;
  const expected = isPlural
    ? "expected an object keyed by plural category, because hasPlurals is true"
    : "expected a string, because hasPlurals is not true";
  return message.replace("expected a string or an object", expected);
}
