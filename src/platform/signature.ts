import { createHmac } from "node:crypto";
import type { ChoiceReader } from "../protocol/choices.ts";

/**
 * The signature headers of a webhook delivery (interface 2.6, 5.1): HMAC-SHA256 over the bytes that are
 * sent, keyed with the app secret.
 * @param now seconds since the epoch; travels only where the timestamp is signed as well
 */
export function signatureHeaders(
  body: Uint8Array,
  appSecret: string,
  now: number,
  choices: ChoiceReader,
): [string, string][] {
  const prefix = choices.get("wire.headerPrefix");
  const signsTimestamp = choices.get("webhook.signature.content") === "timestamp.body";
  const hmac = createHmac("sha256", appSecret);
  if (signsTimestamp) hmac.update(`${now}.`);
  const digest = hmac.update(body).digest(choices.get("webhook.signature.encoding"));
  const signature: [string, string] = [`${prefix}Signature`, choices.get("webhook.signature.prefix") + digest];
  return signsTimestamp ? [[`${prefix}Timestamp`, String(now)], signature] : [signature];
}
