import type { Tampering, WebhookEvent } from "../../protocol/webhook.ts";
import type { DeliveryMaker, DeliveryRequest } from "./delivery-request.ts";

/** Makers of the same delivery: with the app's secret, and with another. */
export interface Makers {
  readonly right: DeliveryMaker;
  readonly wrong: DeliveryMaker;
}

/** What a delivery is made from, as in {@link DeliveryMaker.make}. */
interface MadeFrom {
  readonly json: Uint8Array;
  readonly now: number;
  readonly id: string;
}

/** Makes a delivery with exactly one fault (hardening W1, W2). */
export function tamperedRequest(
  tampering: Tampering,
  { right, wrong }: Makers,
  { json, now, id }: MadeFrom,
): DeliveryRequest {
  const { headers, body } = right.make(json, now, id);
  const { header, prefix } = right.scheme;
  const tampered: Readonly<Record<Tampering, () => Partial<DeliveryRequest>>> = {
    body: () => ({ body: right.make(withOtherByte(json), now, id).body }),
    signature: () => ({
      headers: headers.map(([name, value]) => [name, name === header ? withOtherCharacter(value, prefix) : value]),
    }),
    secret: () => ({ headers: wrong.make(json, now, id).headers }),
    header: () => ({ headers: headers.filter(([name]) => name !== header) }),
  };
  return { headers, body, ...tampered[tampering]() };
}

/** A string of JSON, a colon between a name and its value, or a number with a fraction. */
const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|:|-?\d+\.\d+/gs;

/**
 * The same JSON as no usual serializer writes it (W2): a space after colons and none after commas, escaped slashes,
 * only ASCII, and a trailing zero in fractions.
 * @param json what `JSON.stringify` wrote
 */
export function respell(json: Uint8Array): Buffer {
  const respelled = Buffer.from(json)
    .toString()
    .replaceAll(jsonToken, (token) => {
      if (token === ":") return ": ";
      // An integer stays one: not every parser reads 1.0 as 1.
      return token.startsWith('"') ? escaped(token) : `${token}0`;
    });
  return Buffer.from(respelled);
}

function escaped(string: string): string {
  return string
    .replaceAll("/", "\\/")
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Letters in Latin-1, outside it, beyond 16 bits, and some of ASCII. No space, so that only the letters are tested. */
const PROJECT_NAME = { nonAscii: "Größe-Їжак-日本語-😀", ascii: "Sizes-and-hedgehogs" } as const;

/** The same delivery with such a name for the first project; null: no event has a project. */
export function withProjectName(json: Uint8Array, letters: keyof typeof PROJECT_NAME): Buffer | null {
  const { events } = JSON.parse(Buffer.from(json).toString()) as { readonly events: readonly WebhookEvent[] };
  const isNamed = ({ project }: WebhookEvent) => typeof project === "object" && project !== null;
  const first = events.find(isNamed);
  if (first === undefined) return null;
  const named = { ...first, project: { ...(first.project as object), name: PROJECT_NAME[letters] } };
  return Buffer.from(JSON.stringify({ events: events.map((event) => (event === first ? named : event)) }));
}

/**
 * The same JSON with another digit or letter at the end of a string, so that only the signature reveals the change.
 * Preferably a digit: the app is less likely to notice a wrong number than a wrong word.
 */
function withOtherByte(json: Uint8Array): Uint8Array {
  const text = Buffer.from(json).toString("latin1");
  const places = [...placesOf(/[0-9](?="[,}\]])/g, text), ...placesOf(/[A-Za-z](?="[,}\]])/g, text)];
  for (const at of places) {
    const changed = Buffer.from(json);
    changed[at] = another(text[at] ?? "").charCodeAt(0);
    if (isForgery(changed, json)) return changed;
  }
  // Without such a string, add a member that apps ignore.
  return Buffer.from(Buffer.from(json).toString().replace(/\}$/, ',"forged":true}'));
}

/** How many places from the end of the body are tried. */
const TRIED = 20;

/** Where the pattern matches outside escapes, last match first. */
function placesOf(pattern: RegExp, text: string): number[] {
  const places = [...text.matchAll(pattern)].slice(-TRIED).map(({ index }) => index);
  return places.reverse().filter((at) => !/\\(u[0-9a-fA-F]{0,3})?$/.test(text.slice(Math.max(0, at - 5), at)));
}

/** Still JSON, of the same events: an app that only looks at their names has no reason to refuse it. */
function isForgery(changed: Uint8Array, json: Uint8Array): boolean {
  const [one, other] = [namesIn(changed), namesIn(json)];
  return one !== null && one === other;
}

function namesIn(json: Uint8Array): string | null {
  try {
    const { events } = JSON.parse(Buffer.from(json).toString()) as { readonly events: readonly WebhookEvent[] };
    return JSON.stringify(events.map(({ event }) => event));
  } catch {
    return null;
  }
}

function another(character: string): string {
  if (/[0-9]/.test(character)) return character === "9" ? "8" : String(Number(character) + 1);
  return /[zZ]/.test(character) ? "a" : String.fromCharCode(character.charCodeAt(0) + 1);
}

/**
 * A signature that is wrong only in the middle, in the same alphabet: 0 and 1 are in all of them. Beginning and end are
 * right, to catch an app that compares only those.
 */
function withOtherCharacter(value: string, prefix: string): string {
  const middle = prefix.length + Math.floor((value.length - prefix.length) / 2);
  return value.slice(0, middle) + (value[middle] === "0" ? "1" : "0") + value.slice(middle + 1);
}
