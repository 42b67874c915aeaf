import { firstHalf, lastHalf, otherThan } from "../../../checking/other-value.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { callJson, withCallJson } from "../call-json.ts";
import { fieldsOf, withFields, withoutField } from "../form/form.ts";
import { falsyWords } from "../form/loose-spellings.ts";
import { changedIn, type RepeatedExchange } from "../walk/replay.ts";

/** A shorter value may be anything else in a request, unless its name is that of the field. */
const FEWEST_CHARACTERS = 4;

/** A field of the page, and what a user types into it. */
export interface Typed {
  readonly name: string;
  readonly value: string;
}

/** Whether a request sends what was typed. */
export function sendsTyped(request: RequestParts, typed: Typed): boolean {
  return withTyped(request, typed, { text: otherThan(typed.value) }) !== null;
}

/** Whether a recorded request sends what was typed. */
export function hasTyped(exchange: Exchange, typed: Typed): boolean {
  return withTypedIn(exchange, typed, { text: otherThan(typed.value) }) !== null;
}

/** The exchange with another value in place of what was typed; null if its request does not have it. */
export function withTypedIn(exchange: Exchange, typed: Typed, spoil: Spoiling): RepeatedExchange | null {
  return changedIn(exchange, (request) => withTyped(request, typed, spoil));
}

/** What to send instead of a value: another text, nothing at all, or a JSON value of another type. */
export type Spoiling = { readonly text: string } | "left out" | { readonly json: unknown };

/** What to send instead of the right password. */
export function spoilings(value: string): readonly Spoiling[] {
  return [
    { text: otherThan(value) },
    { text: "" },
    "left out",
    ...falsyWords(value).map((text) => ({ text })),
    // Some code compares only the beginning or the end.
    ...(value.length > 1 ? [{ text: firstHalf(value) }, { text: lastHalf(value) }] : []),
    // Loose comparisons treat these as equal to many texts.
    { json: true },
    { json: [otherThan(value)] },
  ];
}

/** The request with another value in place of what was typed; null if it is not there, or cannot be of this type. */
export function withTyped(request: RequestParts, typed: Typed, spoil: Spoiling): RequestParts | null {
  const json = callJson(request);
  if (json !== undefined) {
    const changed = replaced(json, "", typed, spoil);
    if (changed !== null) return withCallJson(request, changed.value);
  }
  const names = new Set(fieldsOf(request).flatMap(([name, text]) => (isTyped(typed, name, text) ? [name] : [])));
  if (names.size === 0 || (spoil !== "left out" && !("text" in spoil))) return null;
  if (spoil === "left out") {
    return [...names].reduce<RequestParts>((changed, name) => withoutField(changed, name) ?? changed, request);
  }
  return withFields(request, (text, name) => (isTyped(typed, name, text) ? spoil.text : text));
}

function isTyped({ name, value }: Typed, key: string, sent: unknown): boolean {
  if (key !== name && value.length < FEWEST_CHARACTERS) return false;
  return sent === value || (typeof sent === "number" && sent === Number(value));
}

/** The JSON value with another value where this was typed; null if that is nowhere. */
function replaced(node: unknown, key: string, typed: Typed, spoil: Spoiling): { readonly value: unknown } | null {
  if (isTyped(typed, key, node)) {
    if (spoil === "left out") return { value: undefined };
    if ("json" in spoil) return { value: spoil.json };
    if (typeof node !== "number" || spoil.text === "") return { value: spoil.text };
    const number = Number(spoil.text);
    return Number.isNaN(number) || number === node ? null : { value: number };
  }
  if (typeof node !== "object" || node === null) return null;
  const members = Object.entries(node).map(([name, member]) => ({
    name,
    member,
    changed: replaced(member, Array.isArray(node) ? key : name, typed, spoil),
  }));
  if (members.every(({ changed }) => changed === null)) return null;
  const values = members.map(({ name, member, changed }) => [name, changed === null ? member : changed.value] as const);
  return { value: Array.isArray(node) ? values.map(([, value]) => value) : Object.fromEntries(values) };
}
