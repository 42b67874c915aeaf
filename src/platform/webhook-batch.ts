import type { Project } from "../config/schema.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";

/**
 * The events of one batch (interface 2.6): `count` of each name, in the order of the names. The target
 * languages of the project take turns.
 */
export function makeEvents(
  names: readonly string[],
  count: number,
  project: Project,
  ids: "strings" | "numbers",
): WebhookEvent[] {
  const projectId = ids === "strings" ? String(project.id) : project.id;
  return names.flatMap((event) =>
    Array.from({ length: count }, (_, index) => ({
      event,
      project: { id: projectId },
      targetLanguage: { id: project.targetLanguages[index % project.targetLanguages.length] },
    })),
  );
}

/** `--set path=value`. */
export interface Override {
  /** `project.id`, for every event; or `events[0].project.id`, for one. */
  readonly path: string;
  readonly value: string;
}

/** @throws UsageError when the text is not `path=value` */
export function parseOverride(text: string): Override {
  const at = text.indexOf("=");
  if (at < 1)
    throw new UsageError("set-syntax", `--set ${text}: expected path=value`, "for example --set project.id=42");
  return { path: text.slice(0, at), value: text.slice(at + 1) };
}

/**
 * Puts the values into the events. A value takes the type of the one that it replaces, so that ids stay
 * strings or numbers.
 * @throws UsageError for a path that no event has, or a value that cannot be of the type that is there
 */
export function overrideEvents(events: readonly WebhookEvent[], overrides: readonly Override[]): WebhookEvent[] {
  const result = structuredClone(events) as WebhookEvent[];
  for (const override of overrides) {
    const { index, keys } = splitPath(override.path);
    const targets = index === null ? result : result.slice(index, index + 1);
    const replaced = targets.filter((event) => replaceAt(event, keys, override));
    if (replaced.length === 0) throw unmatched(override, result);
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

function replaceAt(event: WebhookEvent, keys: readonly string[], override: Override): boolean {
  const parents = keys.slice(0, -1);
  const last = keys.at(-1) ?? "";
  const parent = parents.reduce<unknown>(
    (value, key) => (isObject(value) && hasKey(value, key) ? value[key] : undefined),
    event,
  );
  if (!isObject(parent) || !hasKey(parent, last)) return false;
  parent[last] = ofSameType(override, parent[last]);
  return true;
}

function ofSameType({ path, value }: Override, old: unknown): unknown {
  if (typeof old === "string") return value;
  const parsed = parseOr(value, undefined);
  if (typeName(parsed) === typeName(old) && isExact(parsed)) return parsed;
  throw new UsageError(
    "set-type",
    `--set ${path}=${value}: ${path} is ${typeName(old)} (${valueText(old)})`,
    "give the new value as JSON of the same type; a number must be one that JavaScript holds exactly",
  );
}

/** A number that is not changed by being read: no whole number beyond 2^53, nothing that overflows. */
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

function parseOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function unmatched({ path }: Override, events: readonly WebhookEvent[]): UsageError {
  const known = [...new Set(events.flatMap((event) => leafPaths(event, "")))];
  return new UsageError(
    "set-unmatched",
    `--set ${path}: no event has this path.${didYouMean(path, known)}`,
    `paths: ${known.join(", ")}; events[N].path reaches one of the ${events.length} event${events.length === 1 ? "" : "s"}`,
  );
}

function leafPaths(value: unknown, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leafPaths(child, path === "" ? key : `${path}.${key}`));
}

/** Only what JSON writes: `hasOwn` would take the `length` of an array for a key. */
function hasKey(value: object, key: string): boolean {
  return Object.keys(value).includes(key);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
