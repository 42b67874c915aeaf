import type { Tampering } from "../protocol/webhook.ts";
import type { DeliveryMaker, DeliveryRequest } from "./delivery-request.ts";

/** Makers of the same delivery: with the app's secret, and with another one. */
export interface Makers {
  readonly right: DeliveryMaker;
  readonly wrong: DeliveryMaker;
}

/**
 * A delivery with exactly one thing wrong with it; all else is as in the one that the app has to accept (hardening W1,
 * W2). The parameters are those of {@link DeliveryMaker.make}.
 */
export function tamperedRequest(
  tampering: Tampering,
  { right, wrong }: Makers,
  json: Uint8Array,
  now: number,
  id: string,
): DeliveryRequest {
  const { headers, body } = right.make(json, now, id);
  const { header, prefix } = right.scheme;
  switch (tampering) {
    case "body":
      return { headers, body: right.make(withOtherByte(json), now, id).body };
    case "signature":
      return {
        headers: headers.map(([name, value]) => [name, name === header ? withOtherCharacter(value, prefix) : value]),
        body,
      };
    case "secret":
      return { headers: wrong.make(json, now, id).headers, body };
    case "header":
      return { headers: headers.filter(([name]) => name !== header), body };
  }
}

/**
 * The same JSON with another value: one digit or letter at the end of a string, so that only its signature can tell. A
 * digit, if there is one: a number is more likely than a word to be nothing the app can know to be wrong.
 */
function withOtherByte(json: Uint8Array): Uint8Array {
  const text = Buffer.from(json).toString("latin1");
  const digits = [...text.matchAll(/[0-9](?="[,}\]])/g)];
  const letters = digits.length > 0 ? [] : [...text.matchAll(/[A-Za-z](?="[,}\]])/g)];
  const at = (digits.at(-1) ?? letters.at(-1))?.index;
  // Without any such string white space is all that can change.
  if (at === undefined) return Buffer.concat([json, Buffer.from(" ")]);
  const changed = Buffer.from(json);
  changed[at] = another(text[at] ?? "").charCodeAt(0);
  return changed;
}

function another(character: string): string {
  if (/[0-9]/.test(character)) return character === "9" ? "8" : String(Number(character) + 1);
  return /[zZ]/.test(character) ? "a" : String.fromCharCode(character.charCodeAt(0) + 1);
}

/** A signature that is none, in the same alphabet: 0 and 1 are in all of them. */
function withOtherCharacter(value: string, prefix: string): string {
  const digest = value.slice(prefix.length);
  return prefix + (digest.startsWith("0") ? "1" : "0") + digest.slice(1);
}
