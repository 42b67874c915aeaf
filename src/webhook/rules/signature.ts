import { createHmac, type Hmac, type KeyObject } from "node:crypto";
import type { ChoiceReader } from "../../config/choices.ts";
import { withCommas } from "../../protocol/with-commas.ts";

/** How deliveries are signed (interface 2.6, 5.1), with everything that the interface leaves open decided. */
export interface SignatureScheme {
  /** Name of the header that carries the signature. */
  readonly header: string;
  readonly encoding: "hex" | "base64" | "base64url";
  /** Precedes the signature in the header. */
  readonly prefix: string;
  /**
   * Name of the header with the seconds since the epoch that are signed before the body; null: only the body is signed.
   */
  readonly timestampHeader: string | null;
  /** Name of the header with the delivery's id, which is signed before the time; none: it is not signed. */
  readonly idHeader?: string;
}

/** Standard Webhooks (standardwebhooks.com): the header names are fixed. */
export const standardWebhooks: SignatureScheme = {
  header: "webhook-signature",
  encoding: "base64",
  prefix: "v1,",
  timestampHeader: "webhook-timestamp",
  idHeader: "webhook-id",
};

export function signatureScheme(choices: ChoiceReader): SignatureScheme {
  const names = choices.get("wire.headerPrefix");
  const content = choices.get("webhook.signature.content");
  if (content === "id.timestamp.body") return standardWebhooks;
  return {
    header: `${names}Signature`,
    encoding: choices.get("webhook.signature.encoding"),
    prefix: choices.get("webhook.signature.prefix"),
    timestampHeader: content === "timestamp.body" ? `${names}Timestamp` : null,
  };
}

/** What is signed. */
export interface SignedDelivery {
  readonly body: Uint8Array;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Id of the delivery, for a scheme that signs it. */
  readonly id: string;
}

/**
 * The signature headers of a delivery: HMAC-SHA256 over the bytes that are signed, keyed with the app secret (interface
 * 5.1).
 * @param appSecret the secret, or a key made from it once for many signatures
 */
export function signatureHeaders(
  scheme: SignatureScheme,
  appSecret: string | KeyObject,
  delivery: SignedDelivery,
): [string, string][] {
  const { header, encoding, prefix, timestampHeader, idHeader } = scheme;
  const { now, id } = delivery;
  const digest = deliveryDigest(scheme, createHmac("sha256", appSecret), delivery);
  const signature: [string, string] = [header, prefix + digest.toString(encoding)];
  return [
    ...(idHeader === undefined ? [] : [[idHeader, id] satisfies [string, string]]),
    ...(timestampHeader === null ? [] : [[timestampHeader, String(now)] satisfies [string, string]]),
    signature,
  ];
}

/** The digest of the bytes that are signed, by an HMAC that is fed nothing else. */
export function deliveryDigest(
  { idHeader, timestampHeader }: SignatureScheme,
  hmac: Hmac,
  { body, now, id }: SignedDelivery,
): Buffer {
  if (idHeader !== undefined) hmac.update(`${id}.`);
  if (timestampHeader !== null) hmac.update(`${now}.`);
  return hmac.update(body).digest();
}

/**
 * A command that reads the signed bytes and writes the signature without its prefix; the key is in a shell variable.
 * Node gets it in the environment: in arguments, which openssl requires, every user of the machine could read it.
 */
export function signCommand(encoding: SignatureScheme["encoding"], variable: string): string {
  const hmac = `require("crypto").createHmac("sha256",process.env.${variable})`;
  return `${variable}="$${variable}" node -p '${hmac}.update(require("fs").readFileSync(0)).digest("${encoding}")'`;
}

/**
 * What is signed, in words: `1700000000. and the 154 bytes of the body`, after the id where that is signed too.
 * @param size bytes of the body as it is sent
 * @param before what is signed before the body, each followed by a dot, such as the seconds
 * @param gzip which bytes of a compressed body are signed; null: it is not compressed
 */
export function signedContent(
  size: number,
  before: readonly string[],
  gzip: "compressed" | "uncompressed" | null,
): string {
  const body =
    gzip === "uncompressed"
      ? "the body as it was before it was compressed"
      : `the ${withCommas(size)} bytes of the ${gzip === null ? "" : "compressed "}body`;
  return before.length === 0 ? body : `${before.map((text) => `${text}.`).join("")} and ${body}`;
}
