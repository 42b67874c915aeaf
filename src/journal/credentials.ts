import { bearerToken } from "../protocol/bearer.ts";
import { type Exchange, headerValue, type RecordedRequest } from "./exchange.ts";
import { bodyBytes } from "./journal.ts";
import type { JournalRecord } from "./record.ts";

export const REDACTED = "‹redacted›";

/** Names of headers that hold credentials. */
export const authorizationHeader = /authorization$/i;

/** A compact JWT within a text; its signature may already be redacted. */
export const jwt = new RegExp(String.raw`(?<![\w-])eyJ[\w-]+\.[\w-]+\.(?:${REDACTED}|[\w-]*)`, "g");

/** Calls to guards are smaller. */
const GUARD_BODY_LIMIT_BYTES = 64 * 1024;
/** Shorter codes or signatures occur in any text by chance. */
const SHORTEST_CHARACTERS = 8;

/** The credentials in the requests of these records: an app may echo them in other answers. */
export function credentialsSent(records: readonly (JournalRecord | null)[]): string[] {
  return records.flatMap((record) => (record?.type === "exchange" ? credentialsIn(record.request) : []));
}

/**
 * What authenticates a request or its user: webhook signatures with and without a prefix such as `sha256=`, signatures
 * of JWTs, codes.
 */
export function credentialsIn({ url, headers, body }: RecordedRequest): string[] {
  const signatures = headers.flatMap(([name, value]) => (/signature/i.test(name) ? [value] : []));
  const bearers = headers.flatMap(([name, value]) => (authorizationHeader.test(name) ? [value] : []));
  const tokens = [url, ...bearers].flatMap((text) => text.match(jwt) ?? []);
  return [
    ...signatures
      .flatMap((value) => [value, value.replace(/^[\w-]+=/, "")])
      .filter(({ length }) => length >= SHORTEST_CHARACTERS),
    ...tokens.map((token) => token.slice(token.lastIndexOf(".") + 1)),
    ...(body.size > GUARD_BODY_LIMIT_BYTES ? [] : codesIn(bodyBytes(body).toString("utf8"))),
  ];
}

/** The code of a final call to a guard (interface 2.2). */
function codesIn(body: string): string[] {
  const [, json] = /"code":("(?:[^"\\]|\\.)*")\}$/.exec(body) ?? [];
  // A check may send the module's key as the code. Everybody knows the key: if it were redacted, it would be missing in
  // every report.
  if (json === undefined || body.includes(`"moduleKey":${json}`)) return [];
  let code = json.slice(1, -1);
  try {
    code = JSON.parse(json);
  } catch {
    // Not valid JSON after all, for example because of a line feed in it: the raw text is the code.
  }
  return code.length < SHORTEST_CHARACTERS ? [] : [code];
}

/** The claims of a JWT, not verified; null if the token is not a JWT, or its claims are not an object. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | null {
  const claims = decodeJwt(token)?.claims ?? null;
  return typeof claims === "object" ? (claims as Readonly<Record<string, unknown>> | null) : null;
}

/** The JWT in the Authorization header of a request, not verified; null if there is none. */
export function bearerJwt({ request }: Exchange): ReturnType<typeof decodeJwt> {
  const token = bearerToken(headerValue(request.headers, "authorization"));
  return token === null ? null : decodeJwt(token);
}

/** Header and claims of a JWT, not verified; null if the token is not a JWT. */
export function decodeJwt(token: string): { header: unknown; claims: unknown } | null {
  const [, header, claims] = /^([\w-]+)\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
  if (header === undefined || claims === undefined) return null;
  const decode = (part: string): unknown =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(part, "base64url")));
  try {
    return { header: decode(header), claims: decode(claims) };
  } catch {
    return null;
  }
}
