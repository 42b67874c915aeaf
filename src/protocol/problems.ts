import type { z } from "zod";
import { hasMembers } from "./json-object.ts";
import { didYouMean, nearestName } from "./nearest.ts";
import type { Problem } from "./usage-error.ts";

/** `["modules", "auth-guard", 1, "url"]` → `modules.auth-guard[1].url`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** The value at a path in the form of {@link pathText}; null if there is none, or if a name itself contains a dot. */
export function valueAtPath(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  return keys.reduce<unknown>(
    (within, key) => (hasMembers(within) && Object.hasOwn(within, key) ? within[key] : null),
    value,
  );
}

/** A longer list of allowed names helps nobody. */
const LISTED_NAMES = 20;

/** A value on one short line, as JSON if possible. */
export function valueText(value: unknown): string {
  const text = jsonText(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A configuration from a JavaScript module can hold what JSON cannot: functions, big integers, cycles. */
function jsonText(value: unknown): string {
  try {
    if (typeof value === "number" && !Number.isFinite(value)) return String(value);
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value === "bigint" ? `${value}n` : "an object that JSON cannot represent";
  }
}

/**
 * Every issue of a failed zod parse as a problem: path, the given value, what is allowed and, for a wrong name, the
 * closest right one.
 */
export function problemsOf(
  error: z.ZodError,
  input: unknown,
  schemaKeys: Names["keysAt"] = () => [],
  placesOf: Names["placesOf"] = () => [],
): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, input, { keysAt: schemaKeys, placesOf }));
}

/** What is known about the names of a schema. */
interface Names {
  /** Names allowed in the object at a path. */
  keysAt(path: string): readonly string[];
  /** Where else a name that is wrong at this path would be right, each as the JSON around it. */
  placesOf(path: string, name: string, value: unknown): readonly string[];
}

function problemsOfIssue(issue: z.core.$ZodIssue, input: unknown, names: Names): Problem[] {
  const path = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = [...issue.path, key];
      const [known, value] = [names.keysAt(path), valueAt(input, at)];
      // Another form of the object has this name.
      const other = known.includes(key) ? otherFormText(value, names.keysAt(pathText(at))) : null;
      const needless = "is not a known name, but what it contains is allowed here: leave out this level";
      const message =
        other ?? (isNeedless(value, known) ? needless : unknownText(key, known, names.placesOf(path, key, value)));
      return { path: pathText(at), message };
    });
  }
  const value = valueAt(input, issue.path);
  const within = issue.code === "invalid_union" ? insideUnion(issue) : [];
  if (within.length > 0) return within.flatMap((each) => problemsOfIssue(each, input, names));
  const expected = hasOwnMessage(issue) ? issue.message : expectation(issue);
  if (value === undefined) return [{ path, message: `${missingText(input, issue.path)}: ${expected}` }];
  const near = typeof value === "string" ? didYouMean(value, allowedValues(issue).map(String)) : "";
  return [{ path, message: `is ${shownValue(path, value)}: ${expected}${near && `.${near}`}` }];
}

function otherFormText(value: unknown, members: readonly string[]): string {
  return members.length === 0 || hasMembers(value)
    ? "cannot be combined with the other names here"
    : `is ${valueText(value)}: expected an object, such as {}, which may have ${members.join(", ")}`;
}

/** Whether an object only wraps members that belong where it is itself. */
function isNeedless(value: unknown, known: readonly string[]): boolean {
  const members = hasMembers(value) && !Array.isArray(value) ? Object.keys(value) : [];
  return members.length > 0 && members.every((name) => known.includes(name));
}

/** JSON cannot hold undefined; a module can, if a variable is not set. */
function missingText(input: unknown, path: readonly PropertyKey[]): string {
  const [name, parent] = [path.at(-1), valueAt(input, path.slice(0, -1))];
  const isThere = name !== undefined && hasMembers(parent) && Object.hasOwn(parent, name);
  return isThere ? "is undefined (is it read from a variable that is not set?)" : "is missing";
}

/** If a name is right in more places than this, none of them is likely. */
const MOST_PLACES = 3;

function unknownText(name: string, known: readonly string[], places: readonly string[]): string {
  const nearest = nearestName(name, known);
  const near = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  const [place] = places;
  const isBetter = near === "" || place?.startsWith(`{"${nearest}": {`);
  if (place !== undefined && places.length === 1 && isBetter)
    return `is not a known name here: it belongs elsewhere, as ${place}`;
  const list = known.length > LISTED_NAMES ? `${known.slice(0, LISTED_NAMES).join(", ")} …` : known.join(", ");
  const allowed = known.length === 0 || (near !== "" && known.length > LISTED_NAMES) ? "" : ` Allowed here: ${list}`;
  const isElsewhere = places.length > 0 && places.length <= MOST_PLACES;
  const elsewhere = isElsewhere ? ` here; elsewhere there is ${places.join(" and ")}` : "";
  return `is not a known name${elsewhere}.${near}${allowed}`;
}

/** A wrong secret is most often the right one in the wrong form, and messages end up in logs (hardening S27). */
function shownValue(path: string, value: unknown): string {
  return /secret$/i.test(path) && value !== "" ? "(hidden)" : valueText(value);
}

/** The issues of the union member whose type the value has, if only a part of the value is wrong. */
function insideUnion({ errors, path }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const member = errors.find((issues) => issues.every((issue) => issue.path.length > 0)) ?? [];
  return member.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** Whether the schema has its own message, which is more specific than the general ones below. */
function hasOwnMessage({ message }: z.core.$ZodIssue): boolean {
  return !/^(Invalid|Too (small|big):)/.test(message);
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_small":
      return `expected ${issue.inclusive === false ? "more than" : "at least"} ${amount(issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive === false ? "less than" : "at most"} ${amount(issue.maximum, issue.origin)}`;
    case "invalid_format":
      return issue.message
        .replace(/^Invalid string: /, "")
        .replace(/^Invalid (.+)$/, (_, what) => `expected ${article(what)}`);
    default: {
      const values = allowedValues(issue).map((value) => JSON.stringify(value));
      const types = [...new Set(allowedTypes(issue))].map(typeText).join(" or ");
      if (values.length === 0) return types === "" ? "not allowed" : `expected ${types}`;
      return `allowed: ${values.join(", ")}${types && ` or ${types}`}`;
    }
  }
}

/** The allowed values, if an issue lists them. */
export function allowedValues(issue: z.core.$ZodIssue): readonly z.core.util.Primitive[] {
  if (issue.code === "invalid_value") return issue.values;
  if (issue.code !== "invalid_union") return [];
  return "options" in issue ? (issue.options ?? []) : issue.errors.flat().flatMap(allowedValues);
}

function allowedTypes(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === "invalid_type") return [issue.expected];
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(allowedTypes) : [];
}

function amount(limit: number | bigint, of: string): string {
  const unit = { string: "character", array: "element" }[of];
  return unit === undefined ? String(limit) : `${limit} ${unit}${limit === 1 ? "" : "s"}`;
}

const typeTexts: Readonly<Record<string, string>> = {
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  record: "an object",
};

function typeText(type: string): string {
  return typeTexts[type] ?? article(type);
}

function article(what: string): string {
  return /^[aeio]/i.test(what) ? `an ${what}` : `a ${what}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
