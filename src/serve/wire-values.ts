/**
 * Values in transit between a command and the platform that runs it: JSON, plus what JSON lacks: bytes, functions,
 * infinite numbers and NaN. A function stays where it is, and is called remotely by its number.
 */

/** Assigns a function a number, by which the other side calls it. */
export type NumberOf = (called: AnyFunction) => number;
/** Creates a function that calls the other side's function with this number. */
export type CallerOf = (number: number) => AnyFunction;
export type AnyFunction = (...args: never[]) => unknown;

/** Members that mark what is not plain JSON; a user's object with one of them is wrapped in a mark itself. */
const marks = ["$bytes", "$function", "$number", "$object"] as const;
type Marked = { readonly [Mark in (typeof marks)[number]]?: unknown };

/** The value in a form that JSON can represent. */
export function toWire(value: unknown, numberOf: NumberOf): unknown {
  if (typeof value === "function") return { $function: numberOf(value as AnyFunction) };
  if (typeof value === "number" && !Number.isFinite(value)) return { $number: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => toWire(each, numberOf));
  const members = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toWire(child, numberOf)]));
  return marks.some((mark) => Object.hasOwn(value, mark)) ? { $object: members } : members;
}

/** The value that `toWire` converted. */
export function fromWire(wire: unknown, callerOf: CallerOf): unknown {
  if (typeof wire !== "object" || wire === null) return wire;
  if (Array.isArray(wire)) return wire.map((each) => fromWire(each, callerOf));
  const { $bytes, $function, $number, $object } = ownMembers(wire);
  if (typeof $bytes === "string") return Buffer.from($bytes, "base64");
  if (typeof $function === "number") return callerOf($function);
  if (typeof $number === "string") return Number($number);
  const members = typeof $object === "object" && $object !== null ? $object : wire;
  return Object.fromEntries(Object.entries(members).map(([key, child]) => [key, fromWire(child, callerOf)]));
}

function ownMembers(wire: object): Marked {
  return Object.fromEntries(
    marks.filter((mark) => Object.hasOwn(wire, mark)).map((mark) => [mark, (wire as Marked)[mark]]),
  );
}
