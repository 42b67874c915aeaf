import { createHmac, createPublicKey, type JsonWebKey, timingSafeEqual, verify } from "node:crypto";
import type { App } from "../config/schema.ts";
import { decodeJwt } from "../journal/credentials.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { isIncoming } from "../journal/purposes.ts";
import type { Hide } from "../journal/secret-hider.ts";
import { appAt } from "../platform/app-at.ts";
import { withCommas } from "../protocol/with-commas.ts";
import type { ClaimView, TokenView } from "./view.ts";

/** What is needed to explain and check tokens. */
export interface TokenKnowledge {
  readonly apps: readonly App[];
  /** The platform's public keys (RFC 7517); empty if they are not known. */
  readonly publicKeys: readonly unknown[];
}

interface Found {
  readonly place: string;
  readonly token: string;
}

/**
 * Every JWT of an exchange, decoded, with each claim explained and compared with the call that carried it (interface
 * 2.7, 5.1).
 */
export function tokensOf(exchange: Exchange, knowledge: TokenKnowledge, hide: Hide): TokenView[] {
  return tokensIn(exchange).flatMap(({ place, token }) => {
    const decoded = decodeJwt(token);
    if (decoded === null) return [];
    const isAccess = isIncoming(exchange.purpose);
    return {
      place,
      header: membersOf(decoded.header).map(([name, value]) =>
        claim(name, hide(JSON.stringify(value)), headerMeanings[name] ?? "", null),
      ),
      claims: membersOf(decoded.claims).map(([name, value]) =>
        claim(
          name,
          hide(JSON.stringify(value)),
          meaning(name, value, exchange),
          isAccess ? null : isRight(name, value, exchange, knowledge.apps),
        ),
      ),
      ...signatureOf(token, decoded.header, knowledge),
      section: isAccess
        ? "interface 2.7, 5.4; the app treats it as opaque (choice oauth.accessToken)"
        : "interface 5.1; claims and algorithm are choices: guard.jwt.claims, guard.jwt.algorithm, guard.jwt.key",
    };
  });
}

function tokensIn({ request, response, purpose }: Exchange): Found[] {
  const bearer = /^Bearer (\S+)$/i.exec(headerValue(request.headers, "authorization") ?? "")?.[1];
  const inAddress = new URLSearchParams(/\?([^#]*)/.exec(request.url)?.[1]).get("jwtToken");
  const answered =
    purpose === "token" && response !== null ? /"access_token":\s*"([\w.-]+)"/.exec(bodyText(response.body)) : null;
  return [
    ...(bearer === undefined ? [] : [{ place: "Authorization", token: bearer }]),
    ...(inAddress === null ? [] : [{ place: "jwtToken in the address", token: inAddress }]),
    ...(answered?.[1] === undefined ? [] : [{ place: "access_token of the answer", token: answered[1] }]),
  ];
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function claim(name: string, value: string, words: string, isRight: boolean | null): ClaimView {
  return { name, value, meaning: words, isRight };
}

const headerMeanings: Readonly<Record<string, string>> = {
  alg: "how it is signed (RFC 7515, 4.1.1); the app must accept only this algorithm",
  typ: "what it is (RFC 7519, 5.1)",
  kid: "which of the platform's public keys verifies it (RFC 7515, 4.1.4)",
};

const meanings: Readonly<Record<string, string>> = {
  aud: "the intended recipient: the client id of the app (RFC 7519, 4.1.3)",
  sub: "whom it is about: the id of the user, as a string (RFC 7519, 4.1.2)",
  domain: "the organization's domain",
  module: "key of the module that is called",
  context: "the organization, the user and, for an import, the project",
  scope: "what the app may do (interface 5.2)",
  iss: "who issued it (RFC 7519, 4.1.1)",
  jti: "its unique id (RFC 7519, 4.1.7)",
  iat: "issued at",
  nbf: "not valid before",
  exp: "expires at",
};

function meaning(name: string, value: unknown, { startedAt }: Exchange): string {
  const words = meanings[name] ?? "the interface does not mention it";
  if (!["iat", "nbf", "exp"].includes(name) || typeof value !== "number") return words;
  const seconds = Math.round(value - Date.parse(startedAt) / 1000);
  const distance = `${withCommas(Math.abs(seconds))} s ${seconds < 0 ? "before" : "after"} this call`;
  const at = Math.abs(value) < 8.64e12 ? new Date(value * 1000).toISOString() : String(value);
  return `${words} ${at}, ${distance}`;
}

/** Whether a claim matches the call that carried it; null if there is nothing to compare it with. */
function isRight(name: string, value: unknown, exchange: Exchange, apps: readonly App[]): boolean | null {
  const startedSeconds = Date.parse(exchange.startedAt) / 1000;
  switch (name) {
    case "aud": {
      // A module, or a page of it, may be at another address than its app.
      const app = appAt(apps, exchange.request.url);
      return (app === null ? apps : [app]).some(({ clientId }) => clientId === value);
    }
    case "module":
      return exchange.module === null ? null : value === exchange.module;
    case "sub": {
      const [, userId] = /"userId":(\d+)/.exec(bodyText(exchange.request.body)) ?? [];
      return userId === undefined ? null : value === userId;
    }
    case "exp":
      return typeof value === "number" && value > startedSeconds;
    case "iat":
    case "nbf":
      // Whole seconds are rounded down.
      return typeof value === "number" && value <= startedSeconds + 1;
    default:
      return null;
  }
}

const digests: Readonly<Record<string, string>> = { "256": "sha256", "384": "sha384", "512": "sha512" };

function signatureOf(
  token: string,
  header: unknown,
  { apps, publicKeys }: TokenKnowledge,
): Pick<TokenView, "isSigned" | "signature"> {
  const { alg = "none", kid } = (header ?? {}) as { readonly alg?: unknown; readonly kid?: unknown };
  const end = token.lastIndexOf(".");
  const [signed, signature] = [Buffer.from(token.slice(0, end)), Buffer.from(token.slice(end + 1), "base64url")];
  const [, family, bits = ""] = /^(HS|RS|ES)(256|384|512)$/.exec(String(alg)) ?? [];
  const digest = digests[bits];
  if (family === "HS" && digest !== undefined) {
    const isOf = (key: string) => {
      const expected = createHmac(digest, key).update(signed).digest();
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    };
    for (const [index, app] of apps.entries()) {
      if (isOf(app.clientSecret))
        return { isSigned: true, signature: `right: ${alg} with the client secret of apps[${index}]` };
      if (isOf(app.appSecret))
        return { isSigned: true, signature: `right: ${alg} with the app secret of apps[${index}]` };
    }
    return { isSigned: false, signature: `wrong: no secret of an installed app makes this ${alg} signature` };
  }
  const jwk = publicKeys.find((key) => (key as { kid?: unknown }).kid === kid) as JsonWebKey | undefined;
  if (jwk !== undefined && (family !== undefined || alg === "EdDSA")) {
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const isOwn = verify(digest ?? null, signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    const name = `${alg} with the platform's key ${String(kid)}`;
    return { isSigned: isOwn, signature: isOwn ? `right: ${name}` : `wrong: it is not ${name}` };
  }
  if (alg === "none" || family === undefined)
    return { isSigned: false, signature: `wrong: ${String(alg)} is not a signature` };
  return { isSigned: null, signature: `not checked: the key ${String(kid)} is not one of this platform` };
}
