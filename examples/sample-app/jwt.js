import { jwtVerify } from "jose";
import { isObject, Refusal } from "./http.js";

/** @typedef {{ userId: number, organizationId: number }} Person whom a token is about */

export function bearerToken(request) {
  return /^Bearer +([\w.-]+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

/**
 * Returns the claims of a JWT, from a call's Authorization header or a page's `jwtToken`. Refuses with 401 unless the
 * platform signed it for this app and this module, and it is valid now.
 */
export async function verifyToken(token, moduleKey, { clientId, clientSecret }) {
  const verified = await jwtVerify(token, new TextEncoder().encode(clientSecret), {
    // Named here and not taken from the token, whose author may be an attacker ("alg": "none").
    algorithms: ["HS256"],
    audience: clientId,
    // A claim that is absent is not checked unless it is required: without this a token may live forever.
    requiredClaims: ["exp", "iat", "sub", "aud"],
    // Seconds by which the platform's clock and ours may differ.
    clockTolerance: 10,
  }).catch(() => null);
  // Without the check of the module, a token for one guard would open all others.
  if (verified !== null && verified.payload.module === moduleKey) return verified.payload;
  // The caller does not learn the reason: it would help only an attacker.
  throw new Refusal(401, "The bearer token is missing or not valid.", { "www-authenticate": "Bearer" });
}

/** Whom the claims are about. @returns {Person} */
export function personOf({ sub, context }) {
  const { user_id: userId, organization_id: organizationId } = isObject(context) ? context : {};
  if (isId(userId) && isId(organizationId) && sub === String(userId)) return { userId, organizationId };
  throw new Refusal(403, "The token does not say which user of which organization it is about.");
}

export function isSamePerson(one, other) {
  return one.userId === other.userId && one.organizationId === other.organizationId;
}

/** Above 2^53 two ids become the same number, so one user could pass for another. @returns {value is number} */
export function isId(value) {
  return Number.isSafeInteger(value);
}
