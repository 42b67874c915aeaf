import { noteText, type ParsedJson, parseJson } from "../../protocol/json.ts";
import type { JsonNote } from "../../protocol/json-notes.ts";
import { isJsonObject } from "../../protocol/json-object.ts";
import { pathText, valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";

/** The fields of an event, as given by the user. */
export interface EventPayload {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The event that it names, if any. */
  readonly event: string | null;
  /** Its source, for messages: `fixtures/events/file.added.json`, `data`. */
  readonly from: string;
  /** Its path in the source. */
  readonly path: readonly PropertyKey[];
}

/** Each round of events uses one payload of each group, in turn. */
export type PayloadGroups = readonly (readonly EventPayload[])[];

const SHAPES = 'an object, an array of objects, or a whole body {"events":[…]}';

/**
 * Reads the payloads in a JSON value: the fields of one event, an array of these (used in turn), or a body (interface
 * 2.6), of which every event is used each time.
 * @param from names the value in messages
 * @throws UsageError for any other value, naming the place
 */
export function readPayloads(value: unknown, from: string): PayloadGroups {
  const payloadAt = (fields: unknown, path: readonly PropertyKey[]) => onePayload(fields, from, path);
  if (Array.isArray(value)) {
    if (value.length === 0) throw invalid(from, "is an empty array", `give ${SHAPES}`);
    return [value.map((fields, index) => payloadAt(fields, [index]))];
  }
  if (!isBody(value)) return [[payloadAt(value, [])]];
  const others = Object.keys(value).filter((key) => key !== "events");
  if (others.length > 0) {
    const problem = `a body holds only events, but this one also has ${others.join(", ")}`;
    throw invalid(from, problem, "a payload with its own field events also needs the field event, with its name");
  }
  if (value.events.length === 0) throw invalid(from, "events is an empty array", `give ${SHAPES}`);
  return value.events.map((fields, index) => [payloadAt(fields, ["events", index])]);
}

function isBody(value: unknown): value is { readonly events: readonly unknown[] } {
  return isJsonObject(value) && Array.isArray(value.events) && !Object.hasOwn(value, "event");
}

function onePayload(fields: unknown, from: string, path: readonly PropertyKey[]): EventPayload {
  const at = path.length === 0 ? "" : `${pathText(path)} `;
  if (!isJsonObject(fields)) {
    const problem = `${at}is ${valueText(fields)}: expected ${SHAPES}`;
    throw invalid(from, problem, "docs/webhooks.md of app-sim shows payloads");
  }
  if (!Object.hasOwn(fields, "event")) return { fields, event: null, from, path };
  const { event } = fields;
  const where = pathText([...path, "event"]);
  if (typeof event !== "string" || event === "") {
    throw invalid(from, `${where} is ${valueText(event)}: expected a name`, "for example file.added; or leave it out");
  }
  if (event.includes("{{")) {
    const problem = `${where} is ${valueText(event)}: a name cannot be a template`;
    throw invalid(from, problem, "write the name, or leave it out");
  }
  return { fields, event, from, path };
}

function invalid(from: string, problem: string, hint: string): UsageError {
  return new UsageError("payload-invalid", `${from}: ${problem}`, hint);
}

/**
 * Finds the payloads of each event: those that name it, and those without a name.
 * @param names empty: those that the payloads name
 * @throws UsageError if names and payloads do not match
 */
export function payloadsFor(
  names: readonly string[],
  groups: PayloadGroups,
): { name: string; payloads: EventPayload[] }[] {
  const payloads = groups.flat();
  const wanted = names.length === 0 ? namesIn(payloads) : names;
  for (const payload of payloads) refuseOther(payload, wanted);
  const found = groups.flatMap((group) =>
    wanted.map((name) => ({ name, payloads: group.filter(({ event }) => event === null || event === name) })),
  );
  const without = wanted.find((name) => !found.some((each) => each.name === name && each.payloads.length > 0));
  if (without !== undefined) {
    const named = namesIn(payloads).join(", ");
    throw new UsageError(
      "payload-missing",
      `${payloads[0]?.from}: there is no payload for ${without}, only for ${named}`,
      "add one, or name only the events that have one",
    );
  }
  return found.filter((each) => each.payloads.length > 0);
}

function namesIn(payloads: readonly EventPayload[]): string[] {
  const nameless = payloads.find(({ event }) => event === null);
  if (nameless === undefined) return [...new Set(payloads.flatMap(({ event }) => event ?? []))];
  const { from, path } = nameless;
  const what = path.length === 0 ? "it" : pathText(path);
  throw new UsageError(
    "event-missing",
    `${from}: no event is named, and ${what} has no event of its own`,
    'name one, for example project.translated, or give the payload "event"',
  );
}

function refuseOther({ event, from, path }: EventPayload, names: readonly string[]): void {
  if (event === null || names.includes(event)) return;
  throw new UsageError(
    "event-other",
    `${from}: ${pathText([...path, "event"])} is ${valueText(event)}, which is not one of the named events: ${names.join(", ")}`,
    "name this event too, or leave event out of the payload",
  );
}

/**
 * A program's value as it survives JSON.
 * @throws UsageError if it cannot be written as JSON, or read back (hardening S24)
 */
export function asJson(value: unknown, from: string): unknown {
  const parsed = parsedAgain(value);
  if (parsed.ok) return parsed.value;
  throw invalid(from, parsed.reason, `give ${SHAPES}`);
}

function parsedAgain(value: unknown): ParsedJson {
  try {
    return parseJson(Buffer.from(JSON.stringify(value) ?? ""), "the value");
  } catch (error) {
    return { ok: false, reason: `it cannot be written as JSON: ${(error as Error).message.split("\n", 1)[0]}` };
  }
}

/** @throws UsageError naming the first number that would be sent with a value other than the one that was written */
export function refuseChangedNumbers(notes: readonly JsonNote[], from: string): void {
  // Lone surrogates in strings are sent unchanged.
  const changed = notes.find(({ kind }) => kind === "number");
  if (changed === undefined) return;
  throw new UsageError(
    "number-inexact",
    `${from}: ${noteText(changed)}`,
    "write it as a string, as interface 2.6 shows ids, or as a number that JavaScript holds exactly",
  );
}
