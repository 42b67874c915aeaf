import { createHmac, timingSafeEqual } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { demand, isObject, parseJson, Refusal, readBody, requireType } from "./http.js";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Receives webhook deliveries, and counts their events by name. A delivery counts as a whole or not at all.
 *
 * @returns {import("./http.js").Handler}
 */
export function webhook(moduleKey, appSecret, received) {
  return async (request) => {
    requireType(request, "application/json");
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!isSigned(appSecret, body, request.headers["x-platform-signature"])) {
      throw new Refusal(401, "The signature is missing or not valid.");
    }
    if (request.headers["x-module-key"] !== moduleKey) throw new Refusal(403, "The delivery is for another module.");
    const isCompressed = request.headers["content-encoding"] === "gzip";
    const delivery = parseJson(isCompressed ? unzip(body) : body);
    demand(isObject(delivery) && Array.isArray(delivery.events), "The body must hold an array of events.");
    // Unknown events and extra fields are allowed: the platform may introduce new ones before this app knows them.
    const isNamed = delivery.events.every((event) => isObject(event) && typeof event.event === "string");
    demand(isNamed, "Every event must have a name.");
    for (const { event } of delivery.events) received.set(event, (received.get(event) ?? 0) + 1);
    return { status: 204 };
  };
}

/**
 * The signature is the HMAC-SHA256 of the received bytes, in lower-case hex. JSON that was parsed and serialized again
 * may differ from them.
 */
function isSigned(secret, body, signature) {
  if (typeof signature !== "string" || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  // `===` stops at the first difference, and the time that it takes shows a patient attacker where that was.
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}

function unzip(body) {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    throw new Refusal(400, "The body must be gzip, as its Content-Encoding says.");
  }
}
