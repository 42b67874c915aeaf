import { type Arbitrary, boolean, constantFrom, record } from "fast-check";

/** Another way to write the same JSON (RFC 8259). */
export interface Spelling {
  /** White space between the parts. */
  readonly indent: "" | " " | "\t";
  readonly end: "" | "\n" | " \r\n";
  /** Characters that are escaped as `\u` and digits. */
  readonly escapes: "none" | "non-ascii" | "all";
  /** Whether members are in another order. */
  readonly isReversed: boolean;
}

/** Spellings that shrink to the usual one. */
export const anySpelling: Arbitrary<Spelling> = record({
  indent: constantFrom("", " ", "\t"),
  end: constantFrom("", "\n", " \r\n"),
  escapes: constantFrom("none", "non-ascii", "all"),
  isReversed: boolean(),
});

/** Writes a value in a spelling. */
export function spelledJson(value: unknown, { indent, end, escapes, isReversed }: Spelling): Buffer {
  const text = JSON.stringify(isReversed ? reversed(value) : value, null, indent);
  const isEscaped = escapes === "all" ? /[\s\S]/g : /[\u0080-\uffff]/g;
  const spelled = (literal: string) => {
    const inner = escapes === "all" ? (JSON.parse(literal) as string) : literal.slice(1, -1);
    return `"${inner.replaceAll(isEscaped, asUnit)}"`;
  };
  return Buffer.from((escapes === "none" ? text : text.replaceAll(/"(?:[^"\\]|\\.)*"/g, spelled)) + end);
}

/** A UTF-16 unit as JSON can always write it. */
function asUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
