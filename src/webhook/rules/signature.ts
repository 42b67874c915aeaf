import { createHmac, type KeyObject } from "node:crypto";
import type { ChoiceReader } from "../../config/choices.ts";

/** How deliveries are signed (interface 2.6, 5.1), all that the interface leaves open being decided. */
export interface SignatureScheme {
  /** Name of the header that carries the signature. */
  readonly header: string;
  readonly encoding: "hex" | "base64" | "base64url";
  /** Stands in the header before the signature. */
  readonly prefix: string;
  /** Name of the header with the seconds since the epoch that are signed before the body; null: the body alone is. */
  readonly timestampHeader: string | null;
}

/** How the platform signs. */
export function signatureScheme(choices: ChoiceReader): SignatureScheme {
  const names = choices.get("wire.headerPrefix");
  const signsTimestamp = choices.get("webhook.signature.content") === "timestamp.body";
  return {
    header: `${names}Signature`,
    encoding: choices.get("webhook.signature.encoding"),
    prefix: choices.get("webhook.signature.prefix"),
    timestampHeader: signsTimestamp ? `${names}Timestamp` : null,
  };
}

/**
 * The signature headers of a delivery: HMAC-SHA256 over the bytes that are signed, keyed with the app secret.
 * @param appSecret or the key that was made of it, where it signs more than once
 * @param now seconds since the epoch
 */
export function signatureHeaders(
  { header, encoding, prefix, timestampHeader }: SignatureScheme,
  body: Uint8Array,
  appSecret: string | KeyObject,
  now: number,
): [string, string][] {
  const hmac = createHmac("sha256", appSecret);
  if (timestampHeader !== null) hmac.update(`${now}.`);
  const signature: [string, string] = [header, prefix + hmac.update(body).digest(encoding)];
  return timestampHeader === null ? [signature] : [[timestampHeader, String(now)], signature];
}
