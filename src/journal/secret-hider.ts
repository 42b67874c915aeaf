import { isNeverSecret } from "../protocol/no-value.ts";
import { SecretIndex } from "./secret-index.ts";

export type Hide = (text: string) => string;

/**
 * Secrets to search for in many texts: the indexes are built on first use, and only once, because there may be
 * thousands of secrets.
 */
export class KnownSecrets {
  readonly #values: readonly string[];
  #written: SecretIndex | null = null;
  #decoded: SecretIndex | null = null;
  #latin1: KnownSecrets | null = null;
  #sorted: readonly string[] | null = null;
  readonly #longest: number;

  constructor(secrets: readonly string[]) {
    this.#values = [...new Set(secrets)].filter((secret) => !isNeverSecret(secret));
    this.#longest = this.#values.reduce((most, { length }) => Math.max(most, length), 0);
  }

  /** All spellings of the secrets, for a text that is searched as it is. */
  written(): SecretIndex {
    this.#written ??= new SecretIndex(this.#values.flatMap(spellings));
    return this.#written;
  }

  /** The secrets as they occur in a decoded text. */
  decoded(): SecretIndex {
    this.#decoded ??= new SecretIndex(this.#values.flatMap(spellings).flatMap(withoutEscapable).map(decodedSecret));
    return this.#decoded;
  }

  /** The secrets as they occur in bytes, with one character per byte. */
  inLatin1(): KnownSecrets {
    this.#latin1 ??= new KnownSecrets(this.#values.map((secret) => Buffer.from(secret).toString("latin1")));
    return this.#latin1;
  }

  /** How many characters at the end of a cut text are the beginning of a secret, if at least `shortest`. */
  cutAtEnd(text: string, shortest: number): number {
    this.#sorted ??= [...this.#values].sort();
    for (let length = Math.min(this.#longest - 1, text.length); length >= shortest; length -= 1) {
      const end = text.slice(-length);
      const at = placeIn(this.#sorted, end);
      if (this.#sorted.slice(at, at + 2).some((secret) => secret !== end && secret.startsWith(end))) return length;
    }
    return 0;
  }
}

/** The index of the text in a sorted list, or where it would be inserted. */
function placeIn(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Replaces every secret in a text, in any spelling, with the marker; of overlapping ones the longest. Secrets come in
 * groups, which can be combined differently elsewhere.
 */
export function hiderOf(groups: readonly KnownSecrets[], marker: string): Hide {
  return (text) => {
    const written = groups.map((group) => group.written());
    const hidden = replaceAll(asWritten(text), written, marker);
    // Most texts have no encoded characters.
    if (!/[\\%+]/.test(hidden)) return hidden;
    const indexes = groups.map((group) => group.decoded());
    // Most texts have no secret in a decoded form, and the position of each character takes time.
    return holdsAny(decodedText(hidden), indexes) ? replaceAll(decoded(hidden), indexes, marker) : hidden;
  };
}

/** Whether a text contains one of the secrets, in any spelling. */
export function secretFinder(secrets: readonly string[]): (text: string) => boolean {
  const hide = hiderOf([new KnownSecrets(secrets)], "");
  return (text) => hide(text) !== text;
}

/** The base64 or hex form of a shorter secret occurs by chance. */
const SHORTEST_ENCODED_CHARACTERS = 8;

/** The secret as it is, in hex, and in base64 at any offset within a longer text (RFC 4648). */
function spellings(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED_CHARACTERS) return [secret];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].flatMap((offset) => {
    // The characters at either end also contain bits of their neighbours.
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const [first, last] = [Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return [whole.toString("base64").slice(first, last), whole.toString("base64url").slice(first, last)];
  });
  return [secret, hex, hex.toUpperCase(), ...base64];
}

/** The position of each code unit in the original. */
interface Places {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The secret, and its remainder in case a percent sign or backslash before it turns its beginning into an escape. */
function withoutEscapable(secret: string): string[] {
  const rests = [/^(?:25)*[\da-f]{2}/i, /^u[\da-f]{4}/i].map((beginning) => secret.replace(beginning, ""));
  return [secret, ...rests.filter(({ length }) => length >= SHORTEST_ENCODED_CHARACTERS)];
}

/** A text to search, with the position of each of its code units in the original. */
interface Spelled {
  readonly original: string;
  readonly text: string;
  /** Start and end in the original; null: the text is the original. */
  readonly places: Places | null;
}

function asWritten(text: string): Spelled {
  return { original: text, text, places: null };
}

/** A JSON string in a form in a URL in a JSON string has four. */
const MAX_LAYERS = 4;

const percentBytes = /(?:%(?:25)*[\da-f]{2})+/giy;
const unicodeEscape = /\\+u([\da-f]{4})/iy;
const backslashes = /\\+/y;
const plainUnits = /[^%\\]+/y;
const escapable = /[\b\f\n\r\t+]/g;
/** Characters that JSON escapes with a letter, and the letter. */
const shortEscapes: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "+": " ",
};

/**
 * The text with percent-encoding and JSON escapes undone, however often they were applied. Backslashes are dropped, and
 * a character that JSON escapes with a letter becomes that letter: so a secret looks the same in every spelling,
 * whatever precedes it.
 */
function decoded(original: string): Spelled {
  let { text, places } = withPlaces(original);
  for (let count = 1; count < MAX_LAYERS && /[\\%]/.test(text); count++) {
    const [outer, layer] = [places, withPlaces(text)];
    text = layer.text;
    places = {
      starts: layer.places.starts.map((at) => outer.starts[at] ?? 0),
      ends: layer.places.ends.map((at) => outer.ends[at - 1] ?? 0),
    };
  }
  return { original, text, places };
}

/** The text of {@link decoded}, without positions. */
function decodedText(original: string): string {
  let text = decodeOnce(original);
  for (let count = 1; count < MAX_LAYERS && /[\\%]/.test(text); count++) text = decodeOnce(text);
  return text;
}

function withPlaces(original: string): { readonly text: string; readonly places: Places } {
  const places: { starts: number[]; ends: number[] } = { starts: [], ends: [] };
  const text = decodeOnce(original, ({ length }, start, end) => {
    const isPlain = end - start === length;
    for (let unit = 0; unit < length; unit++) {
      places.starts.push(isPlain ? start + unit : start);
      places.ends.push(isPlain ? start + unit + 1 : end);
    }
  });
  return { text, places };
}

/** The secret as it occurs in a decoded text. */
function decodedSecret(secret: string): string {
  // Most secrets are letters and digits, and there may be thousands.
  return /^[\w.~=/-]*$/.test(secret) ? secret : decodedText(secret);
}

/** Undoes one layer. @param place called with each decoded part, and where it was in the text */
function decodeOnce(text: string, place?: (part: string, start: number, end: number) => void): string {
  const parts: string[] = [];
  const add = (part: string, start: number, end: number) => {
    parts.push(unescapable(part));
    place?.(part, start, end);
  };
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    const percent = character === "%" ? matchAt(percentBytes, text, at) : null;
    const escaped = character === "\\" ? matchAt(unicodeEscape, text, at) : null;
    if (percent !== null) {
      for (const { unit, start, end } of decodePercent(percent[0])) add(unit, at + start, at + end);
      at += percent[0].length;
    } else if (escaped !== null) {
      add(String.fromCharCode(Number.parseInt(escaped[1] ?? "", 16)), at, at + escaped[0].length);
      at += escaped[0].length;
    } else if (character === "\\") {
      at += matchAt(backslashes, text, at)?.[0].length ?? 1;
    } else {
      // A percent sign that starts no escape is plain, too.
      const run = character + (matchAt(plainUnits, text, at + 1)?.[0] ?? "");
      add(run, at, at + run.length);
      at += run.length;
    }
  }
  return parts.join("");
}

function unescapable(text: string): string {
  return text.replace(escapable, (character) => shortEscapes[character] ?? character);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The characters of percent-encoded bytes, each with its position; a byte that is not UTF-8 is kept as it is. */
function decodePercent(encoded: string): { unit: string; start: number; end: number }[] {
  const ascii = /^%([0-7][\da-f])$/i.exec(encoded)?.[1];
  if (ascii !== undefined) {
    return [{ unit: String.fromCharCode(Number.parseInt(ascii, 16)), start: 0, end: encoded.length }];
  }
  const escapes = [...encoded.matchAll(/%(?:25)*([\da-f]{2})/gi)];
  const bytes = escapes.map(([, hex = ""]) => Number.parseInt(hex, 16));
  const characters: { unit: string; start: number; end: number }[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = utf8Length(bytes, at);
    const own = bytes.slice(at, at + length);
    const last = escapes[at + length - 1];
    characters.push({
      unit: length === 1 ? String.fromCharCode(own[0] ?? 0) : Buffer.from(own).toString(),
      start: escapes[at]?.index ?? 0,
      end: (last?.index ?? 0) + (last?.[0].length ?? 0),
    });
    at += length;
  }
  return characters;
}

/** How many bytes the character that begins here has; 1 if they are not UTF-8. */
function utf8Length(bytes: readonly number[], at: number): number {
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  const following = bytes.slice(at + 1, at + length);
  return following.length === length - 1 && following.every((byte) => byte >> 6 === 0b10) ? length : 1;
}

function longestAt(indexes: readonly SecretIndex[], text: string, at: number): number {
  let longest = 0;
  for (const index of indexes) longest = Math.max(longest, index.lengthAt(text, at));
  return longest;
}

function holdsAny(text: string, indexes: readonly SecretIndex[]): boolean {
  for (let at = 0; at < text.length; at += 1) if (longestAt(indexes, text, at) > 0) return true;
  return false;
}

function replaceAll({ original, text, places }: Spelled, all: readonly SecretIndex[], marker: string): string {
  const indexes = all.filter(({ isEmpty }) => !isEmpty);
  if (indexes.length === 0) return original;
  let replaced = "";
  let done = 0;
  let at = 0;
  while (at < text.length) {
    // The marker itself is never a secret, even if it spells one.
    if (marker !== "" && text.startsWith(marker, at)) {
      at += marker.length;
      continue;
    }
    const length = longestAt(indexes, text, at);
    if (length === 0) {
      at += 1;
      continue;
    }
    const start = places === null ? at : (places.starts[at] ?? 0);
    replaced += original.slice(done, start) + marker;
    at += length;
    done = places === null ? at : (places.ends[at - 1] ?? original.length);
  }
  return done === 0 ? original : replaced + original.slice(done);
}
