import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { CodeHolder, Codes } from "./codes.ts";
import { demand, isObject, json, parseJson, Refusal, type Reply, readBody, requireType } from "./request.ts";
import { bearerToken, type Credentials, isId, isSamePerson, personOf, verifyToken } from "./token.ts";

const MAX_BODY_BYTES = 16 * 1024;

/** The body of a guard call (interface 2.2). */
interface GuardCheck extends CodeHolder {
  /** IPv4 or IPv6. */
  readonly ipAddress: string;
  /** What the guard's page reported; only on the final call of a `redirect` or `frame` guard. */
  readonly code: string | undefined;
}

/** Decides about one call: null lets the user in, a text says why not, or not yet. */
export type GuardRule = (check: GuardCheck) => string | null;

/**
 * The rule of a `redirect` or `frame` guard (interface 3.1): on the first call `firstRule` says who must open the page,
 * on the final call nothing counts but the code that the page made.
 */
export function withPage(firstRule: GuardRule, codes: Codes): GuardRule {
  return (check) => {
    if (check.code === undefined) return firstRule(check);
    return codes.redeem(check.code, check) ? null : "The confirmation is unknown, used or too old. Log in again.";
  };
}

/**
 * Answers one call of a guard of any type (interface 2.2, 3.1). The order matters: nothing of the body is
 * looked at before the token is known to be good, and the rule sees only what the token vouches for.
 */
export async function answerGuard(
  request: IncomingMessage,
  moduleKey: string,
  rule: GuardRule,
  credentials: Credentials,
): Promise<Reply> {
  const claims = await verifyToken(bearerToken(request), moduleKey, credentials);
  requireType(request, "application/json");
  const check = parseCheck(parseJson(await readBody(request, MAX_BODY_BYTES)));
  // Without this a token issued for one user would open the door to every other.
  if (check.moduleKey !== moduleKey || !isSamePerson(personOf(claims), check)) {
    throw new Refusal(403, "The body and the token are not about the same user, organization and module.");
  }
  const denial = rule(check);
  return json(200, denial === null ? { success: true } : { success: false, message: denial });
}

function parseCheck(body: unknown): GuardCheck {
  demand(isObject(body), "The body must be an object.");
  const { userId, organizationId, ipAddress, moduleKey, code } = body;
  demand(isId(userId), "userId must be an integer.");
  demand(isId(organizationId), "organizationId must be an integer.");
  demand(typeof ipAddress === "string" && isIP(ipAddress) !== 0, "ipAddress must be an IP address.");
  demand(typeof moduleKey === "string", "moduleKey must be a string.");
  demand(code === undefined || typeof code === "string", "code must be a string.");
  return { userId, organizationId, ipAddress, moduleKey, code };
}
