import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import type { JWTPayload } from "jose";
import {
  type Credentials,
  demand,
  isObject,
  json,
  parseJson,
  Refusal,
  type Reply,
  readBody,
  requireJson,
  verifyToken,
} from "./request.ts";

const MAX_BODY_BYTES = 16 * 1024;

/** The body of a guard call (interface 2.2). */
interface GuardCheck {
  readonly userId: number;
  readonly organizationId: number;
  /** IPv4 or IPv6. */
  readonly ipAddress: string;
  readonly moduleKey: string;
}

/** Decides about one login: null lets the user in, a text is the reason for the denial. */
type GuardRule = (check: GuardCheck) => string | null;

/** Denies logins from two networks that are not ours. */
export function networkRule(): GuardRule {
  const denied = new BlockList();
  denied.addSubnet("198.51.100.0", 24, "ipv4");
  denied.addSubnet("2001:db8:bad::", 48, "ipv6");
  return ({ ipAddress }) =>
    denied.check(ipAddress, isIPv6(ipAddress) ? "ipv6" : "ipv4") ? "Log in from the office network or the VPN." : null;
}

/** Denies logins of suspended users: here the outsider of app-sim's own organization. */
export function accountRule(): GuardRule {
  const suspended = new Set([105]);
  return ({ userId }) => (suspended.has(userId) ? "This account is suspended. Ask your administrator." : null);
}

/**
 * Answers one call of a `direct` guard (interface 2.2, 3.1). The order matters: nothing of the body is
 * looked at before the token is known to be good, and the rule sees only what the token vouches for.
 */
export async function answerGuard(
  request: IncomingMessage,
  moduleKey: string,
  rule: GuardRule,
  credentials: Credentials,
): Promise<Reply> {
  const claims = await verifyToken(request, moduleKey, credentials);
  requireJson(request);
  const check = parseCheck(parseJson(await readBody(request, MAX_BODY_BYTES)));
  if (check.moduleKey !== moduleKey || !isAbout(claims, check)) {
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
  return { userId, organizationId, ipAddress, moduleKey };
}

/** Above 2^53 two different ids become the same number, so one user could pass for another. */
function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Without this a token issued for one user would open the door to every other. */
function isAbout(claims: JWTPayload, check: GuardCheck): boolean {
  return (
    isObject(claims.context) &&
    claims.sub === String(check.userId) &&
    claims.context.user_id === check.userId &&
    claims.context.organization_id === check.organizationId
  );
}
