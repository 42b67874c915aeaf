import { jwtVerify } from "jose";
import { isObject, Refusal } from "./http.js";

/** @typedef {{ userId: number, organizationId: number }} Person the user that a token is about */

export function bearerToken(request) {
  return /^Bearer +([\w.-]+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

/**
 * Returns the claims of a JWT, from a call's Authorization header or a page's `jwtToken`. Refuses with 401 unless the
 * platform signed it for this app and this module, and it is valid now.
 */
export async function verifyToken(token, moduleKey, { clientId, clientSecret }) {
  const verified = await jwtVerify(token, new TextEncoder().encode(clientSecret), {
    // Fixed here, and not read from the token, because an attacker may have made it ("alg": "none").
    algorithms: ["HS256"],
    audience: clientId,
    // The library checks a missing claim only if it is required; otherwise a token could be valid forever.
    requiredClaims: ["exp", "iat", "sub", "aud"],
    // How many seconds the platform's clock and ours may differ.
    clockTolerance: 10,
  }).catch(() => null);
  // Without this check, a token for one guard would be valid for all the others.
  if (verified !== null && verified.payload.module === moduleKey) return verified.payload;
  // The caller does not get the reason, which would help only an attacker.
  throw new Refusal(401, "The bearer token is missing or not valid.", { "www-authenticate": "Bearer" });
}

/** The user that the claims are about. @returns {Person} */
export function personOf({ sub, context }) {
  const { user_id: userId, organization_id: organizationId } = isObject(context) ? context : {};
  if (isId(userId) && isId(organizationId) && sub === String(userId)) return { userId, organizationId };
  throw new Refusal(403, "The token does not say which user of which organization it is about.");
}

export function isSamePerson(one, other) {
  return one.userId === other.userId && one.organizationId === other.organizationId;
}

/** Above 2^53, two ids can become the same number, so one user could pass for another. @returns {value is number} */
export function isId(value) {
  return Number.isSafeInteger(value);
}
