import jwt from "jsonwebtoken";

/** What the platform issued to the sample app, and where it is; nothing listens there. */
export const issued = {
  clientId: "demo-client",
  clientSecret: "canary-client-secret-0123456789abcdef",
  appSecret: "canary-app-secret-0123456789abcdef",
  authUrl: "http://platform.test:7410",
};

export type Fields = Record<string, unknown>;

/** Seconds since the epoch, as in a token. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** The claims that the platform sends by default to module `network`, with some replaced; undefined leaves one out. */
export function claims(changes: Fields = {}): Fields {
  const context = { organization_id: 7, organization_domain: "acme", user_id: 42, user_login: "ann" };
  const all = {
    aud: issued.clientId,
    sub: "42",
    domain: "acme",
    module: "network",
    context,
    iat: now(),
    exp: now() + 900,
    ...changes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function sign(changes: Fields = {}, key = issued.clientSecret, algorithm: jwt.Algorithm = "HS256"): string {
  const payload = claims(changes);
  // jsonwebtoken adds iat unless told not to, and with that option drops one that is there.
  return jwt.sign(payload, algorithm === "none" ? "" : key, { algorithm, noTimestamp: !("iat" in payload) });
}

export function bearer(changes: Fields = {}): string {
  return `Bearer ${sign(changes)}`;
}

/** Who logs in. */
export interface Person {
  readonly userId: number;
  readonly organizationId: number;
}

/** A token for a module about a person. */
export function tokenFor(module: string, { userId, organizationId }: Person, changes: Fields = {}): string {
  const context = { organization_id: organizationId, user_id: userId };
  return sign({ module, sub: String(userId), context, ...changes });
}

/** Tokens that a page of the module must not open with: what is wrong with them, and the token, null for none at all. */
export function badTokens(module: string, person: Person): [wrong: string, token: string | null][] {
  const good = tokenFor(module, person);
  return [
    ["no token", null],
    ["an empty token", ""],
    ["no token but a text", "%zz \u0000"],
    ["an expired token", tokenFor(module, person, { exp: now() - 61 })],
    ["a token without exp", tokenFor(module, person, { exp: undefined })],
    ["another module's token", tokenFor("network", person)],
    ["another app's token", tokenFor(module, person, { aud: "other-client" })],
    ["a token of another key", sign({ module }, issued.appSecret)],
    ["an unsigned token", sign({ module }, "", "none")],
    ["a token with a cut signature", good.slice(0, -4)],
  ];
}

/** What a guard answered to one call of the platform. */
export type GuardAnswer = { readonly success: true } | { readonly success: false; readonly message: string };

/** Makes one guard call as the platform does, without `code` the first one; returns the answer of status 200. */
export async function callGuard(
  url: string,
  moduleKey: string,
  { userId, organizationId }: Person,
  { code, ipAddress = "203.0.113.10" }: { readonly code?: string; readonly ipAddress?: string } = {},
): Promise<GuardAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokenFor(moduleKey, { userId, organizationId })}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ userId, organizationId, ipAddress, moduleKey, code }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as GuardAnswer;
}
