import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { demand, isObject, parseJson, Refusal, type Reply, readBody, requireType } from "./request.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Takes one webhook delivery (interface 2.6, 6) and counts its events by name in `received`. A delivery
 * counts as a whole or not at all.
 */
export async function answerWebhook(
  request: IncomingMessage,
  moduleKey: string,
  appSecret: string,
  received: Map<string, number>,
): Promise<Reply> {
  requireType(request, "application/json");
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!isSignedBy(appSecret, body, request.headers["x-platform-signature"])) {
    throw new Refusal(401, "The signature is missing or not valid.");
  }
  if (request.headers["x-module-key"] !== moduleKey) throw new Refusal(403, "The delivery is for another module.");
  for (const name of eventNames(parseJson(unpacked(request, body)))) received.set(name, (received.get(name) ?? 0) + 1);
  return { status: 204 };
}

/**
 * True if the signature is the lower-case hex HMAC-SHA256 of these very bytes. They must be the bytes that
 * arrived: JSON that was parsed and written again may differ from what the platform signed.
 */
function isSignedBy(secret: string, body: Buffer, signature: string | string[] | undefined): boolean {
  if (typeof signature !== "string" || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  // `===` stops at the first difference, and the time that it takes tells a patient attacker where that was.
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}

/** What was verified is what travelled; only then is it unpacked, as far as the limit. */
function unpacked(request: IncomingMessage, body: Buffer): Buffer {
  if (request.headers["content-encoding"] !== "gzip") return body;
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    throw new Refusal(400, "The body must be gzip, as its Content-Encoding says.");
  }
}

/** Unknown events and extra fields are fine: the platform may learn new ones before this app does. */
function eventNames(body: unknown): string[] {
  demand(isObject(body) && Array.isArray(body.events), "The body must hold an array of events.");
  return body.events.map((entry: unknown) => {
    demand(isObject(entry) && typeof entry.event === "string", "Every event must have a name.");
    return entry.event;
  });
}
