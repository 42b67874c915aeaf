import { clip } from "../../protocol/harmless.ts";
import { parseJson } from "../../protocol/json.ts";
import { pathText, valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { EventPayload } from "./event-payload.ts";
import type { EventPlace, MakeEvent } from "./webhook-events.ts";

/** One `{{name}}`, `{{name(1, "two")}}` or `{{json name}}` in a text of a payload. */
export interface TemplateCall {
  readonly name: string;
  /** The values in parentheses; null without parentheses. */
  readonly args: readonly unknown[] | null;
  /** Whether the value replaces the whole text, as JSON. */
  readonly isJson: boolean;
  /** Place and text, for messages: `file.added.json: file.id: {{uuid}}`. */
  readonly where: string;
}

/** Computes the value of a call in an event. */
export type ValueAt = (place: EventPlace) => unknown;

/** @throws UsageError for an unknown call */
export type ResolveCall = (call: TemplateCall) => ValueAt;

/** A longer call is text whose parentheses were not closed. */
const CALL_CHARACTERS = 10_000;

const SHOWN_CHARACTERS = 60;

/** How to write two braces that do not begin a template. */
export const literalHint = "for two literal braces write \\{{, in JSON \\\\{{";

/**
 * Makes events from a payload: fills in the templates in its strings, at any depth, and puts the event's name first if
 * the payload has none.
 * @throws UsageError for a text that is neither a template nor escaped
 */
export function payloadMaker(payload: EventPayload, resolve: ResolveCall): MakeEvent {
  const { fields, event, from, path } = payload;
  const render = compile(fields, from, path, resolve) as (place: EventPlace) => Record<string, unknown>;
  if (event !== null) return (place) => ({ ...render(place), event });
  return (place) => ({ event: place.event, ...render(place) });
}

/** Every call in the strings of a payload. */
export function callsIn({ fields, from, path }: EventPayload): TemplateCall[] {
  const calls: TemplateCall[] = [];
  compile(fields, from, path, (call) => {
    calls.push(call);
    return () => null;
  });
  return calls;
}

function compile(value: unknown, from: string, path: readonly PropertyKey[], resolve: ResolveCall): ValueAt {
  if (typeof value === "string") return compileText(value, `${from}: ${pathText(path)}`, resolve);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compile(item, from, [...path, index], resolve));
    return (place) => items.map((item) => item(place));
  }
  if (typeof value !== "object" || value === null) return () => value;
  const members = Object.entries(value).map(
    ([key, member]) => [key, compile(member, from, [...path, key], resolve)] as const,
  );
  return (place) => Object.fromEntries(members.map(([key, member]) => [key, member(place)]));
}

function compileText(text: string, where: string, resolve: ResolveCall): ValueAt {
  const parts = partsOf(text, where);
  const json = parts.find((part): part is TemplateCall => typeof part !== "string" && part.isJson);
  if (json === undefined) {
    const values = parts.map((part) => (typeof part === "string" ? part : resolve(part)));
    return (place) => values.map((value) => (typeof value === "string" ? value : textOf(value(place)))).join("");
  }
  const isAlone = parts.every((part) => part === json || part === "");
  if (!isAlone) {
    throw new UsageError(
      "template-invalid",
      `${json.where} must be the whole string`,
      "json replaces the whole string by the value; without json the value becomes part of the string",
    );
  }
  const value = resolve(json);
  return (place) => jsonOf(value(place));
}

/** The text outside calls, and the calls. */
function partsOf(text: string, where: string): (string | TemplateCall)[] {
  const parts: (string | TemplateCall)[] = [];
  let literal = "";
  let at = 0;
  for (let start = text.indexOf("{{"); start !== -1; start = text.indexOf("{{", at)) {
    if (start > at && text[start - 1] === "\\") {
      literal += `${text.slice(at, start - 1)}{{`;
      at = start + 2;
    } else {
      const { call, end } = callAt(text, start, where);
      parts.push(literal + text.slice(at, start), call);
      literal = "";
      at = end;
    }
  }
  return [...parts, literal + text.slice(at)];
}

/** Braces in arguments may look like the end: the real end is the first pair that completes a valid call. */
function callAt(text: string, start: number, where: string): { readonly call: TemplateCall; readonly end: number } {
  const from = start + 2;
  const last = from + CALL_CHARACTERS;
  for (let end = text.indexOf("}}", from); end !== -1 && end < last; end = text.indexOf("}}", end + 1)) {
    const call = readCall(text.slice(from, end), where);
    if (call !== null) return { call, end: end + 2 };
  }
  throw new UsageError(
    "template-invalid",
    `${where}: ${valueText(text.slice(start))} is not a template`,
    `{{name}}, or {{name(arguments)}} with arguments in JSON; ${literalHint}`,
  );
}

function readCall(inner: string, where: string): TemplateCall | null {
  const [, json, name, inBrackets] = /^\s*(json\s+)?([A-Za-z]\w*(?:\.\w+)*)(?:\(([\s\S]*)\))?\s*$/.exec(inner) ?? [];
  if (name === undefined) return null;
  const args = inBrackets === undefined ? null : readArgs(inBrackets);
  if (args === undefined) return null;
  return { name, args, isJson: json !== undefined, where: `${where}: {{${clip(inner, SHOWN_CHARACTERS)}}}` };
}

/** Arguments are JSON; a single string needs no quotes. */
function readArgs(text: string): readonly unknown[] | undefined {
  const parsed = parseJson(Buffer.from(`[${text}]`));
  if (parsed.ok) return parsed.value as unknown[];
  return /["'[\]{}]/.test(text) ? undefined : [text];
}

function textOf(value: unknown): string {
  const json = jsonOf(value);
  return typeof json === "string" ? json : JSON.stringify(json);
}

/** A time as ISO 8601, an integer of any size as its digits, undefined as null. */
function jsonOf(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "number") return value;
  const text = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member));
  return text === undefined ? null : JSON.parse(text);
}
