import { createHmac, type KeyObject, sign } from "node:crypto";
import type { HeaderLines } from "../../journal/exchange.ts";

type Json = { readonly [name: string]: unknown };

/** The protected header of a JWS (RFC 7515, 4.1). */
export interface TokenHeader extends Json {
  readonly alg: string;
}

/** The JWT of a request (interface 5.1), before it is signed. */
export interface TokenParts {
  readonly header: TokenHeader;
  readonly claims: Json;
  /** The key of the configuration, or another one; null: the signature is empty. */
  readonly key: KeyObject | null;
  /** Changes the compact form, for what no parts can say. */
  readonly respell?: (compact: string) => string;
}

/** A request taken apart, so that one property of it can be changed. */
export interface RequestParts {
  readonly method: "GET" | "POST";
  /** Without the token. */
  readonly url: string;
  /** Without the token. */
  readonly headers: HeaderLines;
  /** The body as JSON or as bytes; null: none. */
  readonly body: { readonly json: unknown } | { readonly bytes: Uint8Array } | null;
  readonly token: TokenParts | null;
  /**
   * How the token travels: in the Authorization header after this scheme, in this field of the query or form, or
   * wherever this text stands in the address, the headers and the body.
   */
  readonly tokenIn:
    | { readonly scheme: string }
    | { readonly query: string }
    | { readonly form: string }
    | { readonly placeholder: string };
}

/** A request as it is sent. */
export interface EncodedRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

/** Signs the token and writes the request. */
export function encodeRequest({ method, url, headers, body, token, tokenIn }: RequestParts): EncodedRequest {
  const compact = token === null ? null : compactToken(token);
  const bytes = body === null ? Buffer.alloc(0) : "json" in body ? Buffer.from(JSON.stringify(body.json)) : body.bytes;
  const request = { method, url, headers, body: bytes };
  if ("placeholder" in tokenIn) return filledIn(request, tokenIn.placeholder, compact ?? "");
  if (compact === null) return request;
  if ("scheme" in tokenIn) {
    return { ...request, headers: [["Authorization", `${tokenIn.scheme} ${compact}`.trim()], ...headers] };
  }
  if ("query" in tokenIn) {
    const address = new URL(url);
    address.searchParams.set(tokenIn.query, compact);
    return { ...request, url: address.href };
  }
  const fields = new URLSearchParams(Buffer.from(bytes).toString());
  fields.set(tokenIn.form, compact);
  return { ...request, body: Buffer.from(fields.toString()) };
}

/** The request with the token where the placeholder stands. */
function filledIn(request: EncodedRequest, placeholder: string, compact: string): EncodedRequest {
  const fill = (text: string) => text.replaceAll(placeholder, compact);
  // Latin-1 keeps every byte of the body.
  const body = Buffer.from(fill(Buffer.from(request.body).toString("latin1")), "latin1");
  const headers = request.headers.map(([name, value]) => [name, fill(value)] as const);
  return { ...request, url: fill(request.url), headers, body };
}

/** The compact form of a JWS (RFC 7515, 7.1). */
export function compactToken({ header, claims, key, respell = (compact) => compact }: TokenParts): string {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return respell(`${input}.${key === null ? "" : signature(input, header.alg, key)}`);
}

function signature(input: string, alg: string, key: KeyObject): string {
  const hash = `sha${/\d+$/.exec(alg)?.[0] ?? "256"}`;
  if (key.type === "secret") return createHmac(hash, key).update(input).digest("base64url");
  const isEdwards = key.asymmetricKeyType === "ed25519" || key.asymmetricKeyType === "ed448";
  const options = alg.startsWith("ES") ? { key, dsaEncoding: "ieee-p1363" as const } : key;
  return sign(isEdwards ? null : hash, Buffer.from(input), options).toString("base64url");
}

/** The request with other claims; undefined leaves one out. */
export function withClaims(request: RequestParts, changes: Json): RequestParts | null {
  return withToken(request, ({ claims }) => ({ claims: defined({ ...claims, ...changes }) }));
}

/** The request with another token; null where it has none, or where nothing can be changed. */
export function withToken(
  request: RequestParts,
  change: (token: TokenParts) => Partial<TokenParts> | null,
): RequestParts | null {
  const { token } = request;
  const changed = token === null ? null : change(token);
  return token === null || changed === null ? null : { ...request, token: { ...token, ...changed } };
}

/** The request with other members in its JSON body; undefined leaves one out. */
export function withMembers(request: RequestParts, changes: Json): RequestParts | null {
  const { body } = request;
  if (body === null || !("json" in body)) return null;
  return { ...request, body: { json: defined({ ...(body.json as Json), ...changes }) } };
}

function defined(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** The request with this header in place of those of the same name; null leaves it out. */
export function withHeader(request: RequestParts, name: string, value: string | null): RequestParts {
  const others = request.headers.filter(([line]) => line.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === null ? others : [...others, [name, value]] };
}
