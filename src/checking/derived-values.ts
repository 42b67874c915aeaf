import { hash } from "node:crypto";
import { FEWEST_BESIDE, writtenTogether } from "./randomness.ts";

/** Counters of an app that has just started are lower than this. */
const MOST_COUNTED = 1000;
/** A shorter beginning of a hash is no sign of one. */
const SHORTEST_HASH = 12;

/** How many bytes the hashes have that apps usually make. */
export const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha512: 64 } as const;

/** Whether a text is a hash, or the beginning of one, of a counter alone or next to one of these texts. */
export function isHashOfCount(text: string, words: readonly string[]): boolean {
  if (text.length < SHORTEST_HASH || !/^[\w+/-]+=*$/.test(text)) return false;
  const isHex = /^[\da-f]+$/i.test(text);
  const wanted = isHex ? text.toLowerCase() : text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const encoding = isHex ? "hex" : "base64url";
  // A shorter hash cannot begin with the text.
  const long = Object.entries(digestBytes).filter(([, bytes]) => bytes * (isHex ? 2 : 4 / 3) > wanted.length - 1);
  for (let count = 0; count < MOST_COUNTED; count += 1) {
    const written = [String(count), ...words.flatMap((word) => writtenTogether(word, String(count)))];
    for (const [algorithm] of long) {
      if (written.some((each) => hash(algorithm, each, encoding).startsWith(wanted))) return true;
    }
  }
  return false;
}

/** The namespaces of RFC 9562, 6.6, DNS, URL, OID and X.500; and none, as in Java. */
const namespaces = [...["0", "1", "2", "4"].map((digit) => `6ba7b81${digit}9dad11d180b400c04fd430c8`), ""];

const nameUuidInText = /[\da-f]{8}-[\da-f]{4}-[35][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/;

/** The UUIDs that are made from a name (RFC 9562, 5.3 and 5.5). */
function nameUuids(name: string): string[] {
  return namespaces.flatMap((namespace) => {
    const bytes = Buffer.concat([Buffer.from(namespace, "hex"), Buffer.from(name)]);
    return [withVersion(3, hash("md5", bytes)), withVersion(5, hash("sha1", bytes))];
  });
}

function withVersion(version: 3 | 5, digest: string): string {
  const digits = [...digest.slice(0, 32)];
  const variant = (Number.parseInt(digits[16] ?? "0", 16) & 3) | 8;
  const hex = digits.with(12, String(version)).with(16, variant.toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A hash or an encoded text has at least this many characters; shorter ones occur in random texts by chance. */
const SHORTEST_PART = 20;

/**
 * Tells whether a value is one of these texts, one of their usual encodings or hashes, or a long one of these with a few
 * characters added, in any case.
 */
export function derivedFrom(texts: readonly string[]): (value: string) => boolean {
  const byLength = new Map<number, ReadonlySet<string>>();
  // There are many of them, and few apps have such values.
  let uuids: ReadonlySet<string> | null = null;
  return (value) => {
    const text = value.toLowerCase();
    const known = byLength.get(text.length) ?? lowerCase(texts.flatMap((each) => writtenOtherwise(each, text.length)));
    byLength.set(text.length, known);
    if (isAmong(text, known)) return true;
    if (!nameUuidInText.test(text)) return false;
    uuids ??= lowerCase(texts.flatMap(nameUuids));
    return isAmong(text, uuids);
  };
}

function isAmong(text: string, known: ReadonlySet<string>): boolean {
  if (known.has(text)) return true;
  const parts = [...known].filter(({ length }) => length < text.length && isLongIn(length, text.length));
  return parts.some((part) => text.includes(part));
}

/** Whether a part of this length is nearly all of a text. */
function isLongIn(length: number, whole: number): boolean {
  return length === whole || (length >= SHORTEST_PART && length < whole && whole - length < FEWEST_BESIDE);
}

const lowerCase = (texts: readonly string[]) => new Set(texts.map((text) => text.toLowerCase()));

/** How many characters bytes have in each encoding. */
const encodedLengths: Readonly<Record<"hex" | "base64" | "base64url", (bytes: number) => number>> = {
  hex: (bytes) => bytes * 2,
  base64: (bytes) => Math.ceil(bytes / 3) * 4,
  base64url: (bytes) => Math.ceil((bytes * 4) / 3),
};
const encodings = Object.keys(encodedLengths) as (keyof typeof encodedLengths)[];

/** A text, its usual encodings, and its hashes, as far as they are nearly all of a text of this length. */
function writtenOtherwise(text: string, whole: number): string[] {
  const fitting = (bytes: number) => encodings.filter((encoding) => isLongIn(encodedLengths[encoding](bytes), whole));
  const bytes = Buffer.from(text);
  const hashed = Object.entries(digestBytes).flatMap(([name, size]) => {
    const wanted = fitting(size);
    if (wanted.length === 0) return [];
    const digest = hash(name, text, "buffer");
    return wanted.map((encoding) => digest.toString(encoding));
  });
  return [text, [...text].reverse().join(""), ...fitting(bytes.length).map((each) => bytes.toString(each)), ...hashed];
}
