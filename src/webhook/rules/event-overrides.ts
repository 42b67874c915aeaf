import { parseJson } from "../../protocol/json.ts";
import { hasMembers } from "../../protocol/json-object.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { WebhookEvent } from "../../protocol/webhook.ts";
import { refuseChangedNumbers } from "./event-payload.ts";

/** `--set path=value` and a member of the option `set` change a value; `--set path:=JSON` sets any value. */
export interface Override {
  /** `project.id`, for every event; or `events[0].project.id`, for one. */
  readonly path: string;
  /** Converted to the type of the value that it replaces. */
  readonly value: string;
  /** Given with `:=`: the value, even if there was none, or one of another type. */
  readonly json?: unknown;
  /** Given as a member of an object: a value from JavaScript, which replaces one that is there. */
  readonly replacement?: unknown;
}

/** @throws UsageError for a value that JSON cannot hold, such as undefined */
export function replacementAt(path: string, replacement: unknown): Override {
  if (JSON.stringify(replacement) !== undefined) return { path, value: String(replacement), replacement };
  const hint = "is it read from a variable that is not set?";
  throw new UsageError("set-type", `--set ${path}: the value is ${typeof replacement}`, hint);
}

/** @throws UsageError if the text is neither `path=value` nor `path:=JSON` */
export function parseOverride(text: string): Override {
  const at = text.indexOf("=");
  const isJson = text[at - 1] === ":";
  const path = text.slice(0, isJson ? at - 1 : Math.max(at, 0));
  if (path === "")
    throw new UsageError("set-syntax", `--set ${text}: expected path=value`, "for example --set project.id=42");
  const value = text.slice(at + 1);
  return isJson ? { path, value, json: parsedValue(text, value) } : { path, value };
}

function parsedValue(text: string, value: string): unknown {
  const parsed = parseJson(Buffer.from(value), "the value");
  if (!parsed.ok) {
    throw new UsageError(
      "set-json",
      `--set ${text}: ${parsed.reason}`,
      ':= needs JSON, for example --set file:={"id":"7"}; path=value uses the text as it is',
    );
  }
  refuseChangedNumbers(parsed.notes, `--set ${text}`);
  return parsed.value;
}

/**
 * Puts the values into the events. `path=value` keeps the type of the value that it replaces, so that ids stay strings
 * or numbers. `path:=JSON` sets any value in an existing object or array: a new member, a new last element.
 * @throws UsageError for a path that no event has, or a value that cannot be converted
 */
export function overrideEvents(events: readonly WebhookEvent[], overrides: readonly Override[]): WebhookEvent[] {
  if (overrides.length === 0) return [...events];
  const result = structuredClone(events) as WebhookEvent[];
  for (const override of overrides) {
    const { index, keys } = splitPath(override.path);
    const targets = index === null ? result : result.slice(index, index + 1);
    const changed = targets.filter((event) => setAt(event, keys, override));
    if (changed.length === 0) throw unmatched(override, result);
  }
  return result;
}

function splitPath(path: string): { index: number | null; keys: string[] } {
  const [, index, rest] = /^(?:events)?\[(\d+)\]\.(.+)$/.exec(path) ?? [];
  return {
    index: index === undefined ? null : Number(index),
    keys: (rest ?? path).replaceAll(/\[(\d+)\]/g, ".$1").split("."),
  };
}

function setAt(event: WebhookEvent, keys: readonly string[], override: Override): boolean {
  const parents = keys.slice(0, -1);
  const last = keys.at(-1) ?? "";
  const parent = parents.reduce<unknown>(
    (value, key) => (hasMembers(value) && hasKey(value, key) ? value[key] : undefined),
    event,
  );
  if (!hasMembers(parent)) return false;
  const isThere = hasKey(parent, last);
  if (override.json !== undefined) {
    if (!isThere && !mayBeAdded(parent, last)) return false;
    // A copy for each event, so that a later path can change just one of them.
    parent[last] = structuredClone(override.json);
    return true;
  }
  if (isThere) parent[last] = replaced(override, parent[last]);
  return isThere;
}

/** An array gets neither holes nor named members; `__proto__` cannot be a name (hardening S24). */
function mayBeAdded(parent: object, key: string): boolean {
  if (Array.isArray(parent)) return key === String(parent.length);
  return key !== "" && key !== "__proto__";
}

function replaced(override: Override, old: unknown): unknown {
  const { replacement } = override;
  if (replacement === undefined) return ofSameType(override, old);
  // An id stays a string, as the platform sends it.
  return typeof old === "string" && typeof replacement === "number"
    ? String(replacement)
    : structuredClone(replacement);
}

function ofSameType({ path, value }: Override, old: unknown): unknown {
  if (typeof old === "string") return value;
  const parsed = parseJson(Buffer.from(value));
  if (parsed.ok && typeName(parsed.value) === typeName(old) && isExact(parsed.value)) return parsed.value;
  throw new UsageError(
    "set-type",
    `--set ${path}=${value}: ${path} is ${typeName(old)} (${valueText(old)})`,
    "give a value of the same type (numbers must be exact in JavaScript); path:=JSON changes the type",
  );
}

/** A number that JavaScript holds exactly: no integer beyond 2^53, no overflow. */
function isExact(value: unknown): boolean {
  if (typeof value !== "number") return true;
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

/** The JSON type of a value, with its article. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function unmatched({ path }: Override, events: readonly WebhookEvent[]): UsageError {
  const { index } = splitPath(path);
  if (index !== null && index >= events.length)
    return new UsageError(
      "set-unmatched",
      `--set ${path}: there is no events[${index}]: this run has ${events.length === 1 ? "1 event, events[0]" : `${events.length} events, events[0] to events[${events.length - 1}]`}`,
      `a path without events[N] changes every event; --count ${index + 1} sends more`,
    );
  const known = [...new Set(events.flatMap((event) => leafPaths(event, "")))];
  const [, one = null] = /^events?\[(\d+)\]\./.exec(path) ?? [];
  const written = one === null ? known : known.map((name) => `events[${one}].${name}`);
  return new UsageError(
    "set-unmatched",
    `--set ${path}: no event has this path.${didYouMean(path, written)}`,
    `paths: ${known.join(", ")}; ${events.length === 1 ? "" : `events[N].path reaches one of the ${events.length} events; `}path:=JSON adds a new one`,
  );
}

function leafPaths(value: unknown, path: string): string[] {
  if (!hasMembers(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leafPaths(child, path === "" ? key : `${path}.${key}`));
}

/** Only members that JSON writes: `hasOwn` would accept the `length` of an array. */
function hasKey(value: object, key: string): boolean {
  return Object.keys(value).includes(key);
}
