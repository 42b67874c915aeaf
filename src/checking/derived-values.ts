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
const namespaces = [...["0", "1", "2", "4"].map((digit) => `6ba7b81${digit}9dad11d180b400c04fd430c8`), ""].map((hex) =>
  Buffer.from(hex, "hex"),
);

/** A UUID that is made from a name (RFC 9562, 5.3 and 5.5), with or without its dashes. */
const nameUuid = /([\da-f]{8})-?([\da-f]{4})-?([35])([\da-f]{3})-?[89ab]([\da-f]{3})-?([\da-f]{12})/;

/** The digits of a UUID that come from the hash of its name: its version and its variant stand in place of the others. */
const digitsInUuid = (hex: string) => hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(17, 32);

/** Tells whether a text is the UUID of one of these names, with few characters added. */
function uuidOf(names: readonly string[]): (text: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (text) => {
    const [uuid = "", low, middle, version, high, clock, node] = nameUuid.exec(text) ?? [];
    if (uuid === "" || text.length - uuid.length >= FEWEST_BESIDE) return false;
    const algorithm = version === "3" ? "md5" : "sha1";
    const digits = known.get(algorithm) ?? new Set(names.flatMap((name) => uuidDigits(algorithm, name)));
    known.set(algorithm, digits);
    return digits.has(`${low}${middle}${high}${clock}${node}`);
  };
}

function uuidDigits(algorithm: string, name: string): string[] {
  const bytes = Buffer.from(name);
  return namespaces.map((namespace) => digitsInUuid(hash(algorithm, Buffer.concat([namespace, bytes]))));
}

/** A hash or an encoded text has at least this many characters; shorter ones occur in random texts by chance. */
const SHORTEST_PART = 20;

/**
 * Tells whether a value is one of these texts, one of their usual encodings or hashes, or a long one of these with a few
 * characters added, in any case.
 */
export function derivedFrom(texts: readonly string[]): (value: string) => boolean {
  const byLength = new Map<number, ReadonlySet<string>>();
  const isUuid = uuidOf(texts);
  return (value) => {
    const text = value.toLowerCase();
    const known = byLength.get(text.length) ?? lowerCase(writtenOtherwise(texts, text.length));
    byLength.set(text.length, known);
    return isAmong(text, known) || isUuid(text);
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

/** The text of which this one is an encoding, and which; null: it is none, or one of bytes that nobody reads. */
export function encodedIn(
  text: string,
): { readonly inside: string; readonly encoding: keyof typeof encodedLengths } | null {
  for (const encoding of encodings) {
    const bytes = Buffer.from(text, encoding);
    const isWhole = bytes.toString(encoding).replace(/=+$/, "") === text.replace(/=+$/, "");
    const inside = bytes.toString("latin1");
    if (isWhole && PRINTABLE.test(inside)) return { inside, encoding };
  }
  return null;
}

/** Random bytes are hardly ever all printable. */
const PRINTABLE = /^[ -~]{8,}$/;

/** How many characters bytes have in each encoding. */
const encodedLengths: Readonly<Record<"hex" | "base64" | "base64url", (bytes: number) => number>> = {
  hex: (bytes) => bytes * 2,
  base64: (bytes) => Math.ceil(bytes / 3) * 4,
  base64url: (bytes) => Math.ceil((bytes * 4) / 3),
};
const encodings = Object.keys(encodedLengths) as (keyof typeof encodedLengths)[];

/** Texts, their usual encodings, and their hashes, as far as they are nearly all of a text of this length. */
function writtenOtherwise(texts: readonly string[], whole: number): string[] {
  const fitting = (bytes: number) => encodings.filter((encoding) => isLongIn(encodedLengths[encoding](bytes), whole));
  const digests = Object.entries(digestBytes).flatMap(([algorithm, size]) =>
    fitting(size).map((encoding) => ({ algorithm, encoding })),
  );
  return texts.flatMap((text) => {
    const itself = isLongIn(text.length, whole) ? [text, [...text].reverse().join("")] : [];
    const bytes = Buffer.from(text);
    const encoded = fitting(bytes.length).map((encoding) => bytes.toString(encoding));
    return [...itself, ...encoded, ...digests.map(({ algorithm, encoding }) => hash(algorithm, bytes, encoding))];
  });
}
