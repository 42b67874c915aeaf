import { clip, harmlessLine } from "./harmless.ts";
import { endOfString } from "./json-scan.ts";
import { pathText } from "./problems.ts";

/** Something in a JSON text that is allowed, but that parsers read differently. */
export interface JsonNote {
  /** Such as `strings[3].maxLength`; "" if the note is about the text as a whole. */
  readonly path: string;
  /** Continues the sentence that the path begins. */
  readonly message: string;
  /** `number`: parsing changes its value; `text`: about a string or a name; `rest`: a count of further notes. */
  readonly kind: "number" | "text" | "rest";
}

/**
 * What a closer look at a JSON text finds: the first key that occurs twice in one object (RFC 8259 4), in words, and
 * the notes.
 */
export interface JsonFindings {
  readonly repeatedKey: string | null;
  readonly notes: readonly JsonNote[];
}

/** More would bury what matters. */
const LISTED_NOTES = 20;
const SHOWN_CHARACTERS = 60;
const PATH_CHARACTERS = 200;

interface Level {
  /** null in an array. */
  readonly keys: Set<string> | null;
  /** Whether the next string is a key. */
  atKey: boolean;
  /** The member or element that is being read. */
  place: string | number;
}

/**
 * Finds keys that occur twice in an object, numbers that a JavaScript number cannot represent, and lone surrogates
 * (hardening R17, R18).
 * @param text valid JSON
 * @param what names the text in notes about a value at its root
 */
export function inspectJson(text: string, what: string): JsonFindings {
  const levels: Level[] = [];
  const notes: JsonNote[] = [];
  let found = 0;
  const note = (kind: JsonNote["kind"], message: string | null) => {
    if (message === null) return;
    found += 1;
    // The first number that would change is always reported, however many notes there are.
    const isFirstNumber = kind === "number" && !notes.some((each) => each.kind === kind);
    if (found > LISTED_NOTES && !isFirstNumber) return;
    notes.push({ path: levels.length === 0 ? what : placeText(levels), message, kind });
  };
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    const mark = text.charAt(at);
    if (mark === '"') {
      const end = endOfString(text, at);
      const string = JSON.parse(text.slice(at, end + 1)) as string;
      if (level?.keys != null && level.atKey) {
        if (level.keys.has(string)) return { repeatedKey: repeated(string, levels.slice(0, -1)), notes };
        level.keys.add(string);
        Object.assign(level, { atKey: false, place: string });
        note("text", surrogateFault(string, "has a name with"));
      } else note("text", surrogateFault(string, "holds"));
      at = end;
    } else if (mark === "{") levels.push({ keys: new Set(), atKey: true, place: "" });
    else if (mark === "[") levels.push({ keys: null, atKey: false, place: 0 });
    else if (mark === "}" || mark === "]") levels.pop();
    else if (mark === ",") nextPlace(level);
    else if (mark === "-" || (mark >= "0" && mark <= "9")) {
      const literal = numberAt(text, at);
      note("number", numberFault(literal));
      at += literal.length - 1;
    }
  }
  if (found > notes.length) notes.push({ path: "", message: `… and ${found - notes.length} more`, kind: "rest" });
  return { repeatedKey: null, notes };
}

function nextPlace(level: Level | undefined): void {
  if (level === undefined) return;
  if (typeof level.place === "number") level.place += 1;
  else level.atKey = true;
}

function placeText(levels: readonly Level[]): string {
  return clip(harmlessLine(pathText(levels.map(({ place }) => place))), PATH_CHARACTERS);
}

function repeated(key: string, around: readonly Level[]): string {
  const where = around.length === 0 ? "" : ` (${placeText(around)})`;
  return `has the key ${harmlessLine(JSON.stringify(clip(key, SHOWN_CHARACTERS)))} twice in one object${where}`;
}

function surrogateFault(string: string, what: string): string | null {
  const code = /\p{Surrogate}/u.exec(string)?.[0].charCodeAt(0);
  return code === undefined
    ? null
    : `${what} half a character (\\u${code.toString(16)}, a lone surrogate), which UTF-8 cannot encode`;
}

function numberAt(text: string, at: number): string {
  const number = /[-+.\deE]+/y;
  number.lastIndex = at;
  return number.exec(text)?.[0] ?? "";
}

function numberFault(literal: string): string | null {
  const shown = clip(literal, SHOWN_CHARACTERS);
  const value = Number(literal);
  if (!Number.isFinite(value)) return `is ${shown}, which is too large for a JavaScript number`;
  if (value === 0 && /^[^eE]*[1-9]/.test(literal)) return `is ${shown}, which JavaScript reads as 0`;
  if (/^-?\d+$/.test(literal) && !Number.isSafeInteger(value)) {
    return `is ${shown}, beyond 2^53, where JavaScript numbers cannot represent every integer`;
  }
  return null;
}
