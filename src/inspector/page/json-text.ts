/** A JSON value as written: numbers keep their digits, objects their order and repeated names. */
export type JsonNode =
  | {
      readonly kind: "object" | "array";
      readonly members: readonly JsonMember[];
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: "scalar"; readonly raw: string; readonly start: number; readonly end: number };

export interface JsonMember {
  /** As written, with its quotes; null in an array. */
  readonly name: string | null;
  readonly value: JsonNode;
}

const tokens = /\s*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|([^\s[\]{},:"]+))/suy;
/** Deeper values are shown as text. */
const MOST_DEPTH = 200;

/** Parses JSON leniently; null if it is not JSON. */
export function readJsonText(text: string): JsonNode | null {
  let at = 0;
  const next = () => {
    tokens.lastIndex = at;
    const match = tokens.exec(text);
    if (match === null) return null;
    at = tokens.lastIndex;
    const raw = match[1] ?? match[2] ?? match[3] ?? "";
    return { raw, start: at - raw.length, isSign: match[1] !== undefined };
  };
  const peek = () => {
    const before = at;
    const token = next();
    at = before;
    return token;
  };
  const read = (depth: number): JsonNode | null => {
    const token = next();
    if (token === null || depth > MOST_DEPTH) return null;
    const { raw, start, isSign } = token;
    if (!isSign) return /^("|-?\d|true$|false$|null$)/.test(raw) ? { kind: "scalar", raw, start, end: at } : null;
    if (raw !== "{" && raw !== "[") return null;
    const kind = raw === "{" ? "object" : "array";
    const close = raw === "{" ? "}" : "]";
    const members: JsonMember[] = [];
    if (peek()?.raw === close) {
      next();
      return { kind, members, start, end: at };
    }
    for (;;) {
      const name = kind === "object" ? next() : null;
      if (kind === "object" && (name?.raw.startsWith('"') !== true || next()?.raw !== ":")) return null;
      const value = read(depth + 1);
      if (value === null) return null;
      members.push({ name: name?.raw ?? null, value });
      const sign = next();
      if (sign?.raw === close) return { kind, members, start, end: at };
      if (sign?.raw !== ",") return null;
    }
  };
  const node = read(0);
  return node !== null && text.slice(at).trim() === "" ? node : null;
}

/** The bytes as rows of sixteen: offset, hexadecimal, and ASCII. */
export function hexRows(base64: string, most: number): string[] {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).subarray(0, most);
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const ascii = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    rows.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return rows;
}

/** The JSON on several lines, otherwise as written. */
export function indentedJson(node: JsonNode, indent = ""): string {
  if (node.kind === "scalar") return node.raw;
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.members.length === 0) return open + close;
  const inner = `${indent}  `;
  const members = node.members.map(
    ({ name, value }) => `${inner}${name === null ? "" : `${name}: `}${indentedJson(value, inner)}`,
  );
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}
