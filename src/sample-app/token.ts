import type { IncomingMessage } from "node:http";
import { type JWTPayload, jwtVerify } from "jose";
import { isObject, Refusal } from "./request.ts";

/** What the platform issued to this app when it was registered and installed. */
export interface Credentials {
  readonly clientId: string;
  /** Key of the JWTs on guard and post-import calls. */
  readonly clientSecret: string;
  /** Key of the webhook signatures. */
  readonly appSecret: string;
}

/** Whom a token is about. */
export interface Person {
  readonly userId: number;
  readonly organizationId: number;
}

/** The Bearer JWT of a call; "" if there is none. */
export function bearerToken(request: IncomingMessage): string {
  return /^Bearer +([\w.-]+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
}

/**
 * Returns the claims of a JWT, which comes as Bearer token of a call or as `jwtToken` of a page's address.
 * Refuses with 401 unless it was signed by the platform, for this app, for this module, and is valid now
 * (interface 5.1).
 */
export async function verifyToken(token: string, moduleKey: string, credentials: Credentials): Promise<JWTPayload> {
  const claims = await verifiedClaims(token, credentials);
  if (claims?.module !== moduleKey) {
    throw new Refusal(401, "The bearer token is missing or not valid.", { "www-authenticate": "Bearer" });
  }
  return claims;
}

async function verifiedClaims(token: string, credentials: Credentials): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(credentials.clientSecret), {
      // Named here and not taken from the token, whose author may be an attacker ("alg": "none").
      algorithms: ["HS256"],
      audience: credentials.clientId,
      // A claim that is absent is not checked unless it is required: without this a token may live forever.
      requiredClaims: ["exp", "iat", "sub", "aud"],
      // Seconds by which the platform's clock and ours may differ.
      clockTolerance: 10,
    });
    return payload;
  } catch {
    // Whatever the reason, the caller learns only that the token is not good.
    return null;
  }
}

/** Reads from the claims whom the token is about. Refuses with 403 claims that do not say it, or say it twice differently. */
export function personOf({ sub, context }: JWTPayload): Person {
  if (isObject(context) && isId(context.user_id) && isId(context.organization_id) && sub === String(context.user_id)) {
    return { userId: context.user_id, organizationId: context.organization_id };
  }
  throw new Refusal(403, "The token does not say which user of which organization it is about.");
}

export function isSamePerson(one: Person, other: Person): boolean {
  return one.userId === other.userId && one.organizationId === other.organizationId;
}

/** Above 2^53 two different ids become the same number, so one user could pass for another. */
export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
