import { createHmac, type KeyObject, sign } from "node:crypto";
import type { AppCall, CallPauses } from "../app-client/ports.ts";
import { type HeaderLines, headerValue } from "../journal/exchange.ts";
import { type SignatureScheme, signatureHeaders } from "../webhook/rules/signature.ts";

type Json = { readonly [name: string]: unknown };

/** The protected header of a JWS (RFC 7515, 4.1). */
export interface TokenHeader extends Json {
  readonly alg?: string;
}

/** The JWT of a request (interface 5.1), before it is signed. */
export interface TokenParts {
  readonly header: TokenHeader;
  readonly claims: Json;
  /** The key of the configuration, or another one; null: the signature is empty. */
  readonly key: KeyObject | null;
  /** Serializes header and claims as JSON before signing; default without white space. */
  readonly write?: (part: Json) => string;
  /** Changes the compact form, for changes that the parts cannot express. */
  readonly respell?: (compact: string) => string;
}

/** The signature of a delivery (interface 5.1), before it is made. */
export interface SignatureParts {
  readonly scheme: SignatureScheme;
  readonly key: KeyObject;
  /** Seconds since the epoch, which some schemes sign. */
  readonly now: number;
  /** The id of the delivery, which some schemes sign. */
  readonly id: string;
  /** The bytes to sign instead of the body. */
  readonly over?: Uint8Array;
  /** The values of its header lines, made from the right one; empty: the header is omitted. */
  readonly respell?: (value: string) => readonly string[];
  /** The value of the time header instead of `now`; null omits it. */
  readonly statedTime?: string | null;
}

/** A request in parts, so that a single property can be changed. */
export interface RequestParts {
  readonly method: AppCall["method"];
  /** Without the token. */
  readonly url: string;
  /** Without the token. */
  readonly headers: HeaderLines;
  /** The body as JSON or as bytes; null: none. */
  readonly body: { readonly json: unknown } | { readonly bytes: Uint8Array } | null;
  readonly token: TokenParts | null;
  /**
   * Where the token is sent: in the Authorization header after this scheme, in this field of the query or form, or
   * wherever this placeholder occurs in the address, the headers and the body.
   */
  readonly tokenIn:
    | { readonly scheme: string }
    | { readonly query: string }
    | { readonly form: string }
    | { readonly placeholder: string };
  /** The signature of the whole delivery; `headers` excludes it. */
  readonly signature?: SignatureParts;
  /** Changes the bytes of the body after signing. */
  readonly tamper?: (body: Uint8Array) => Uint8Array;
  /** Barriers to wait for while sending. */
  readonly pauses?: CallPauses;
  /** Whether the body is sent in chunks, without its length. */
  readonly chunked?: boolean;
}

/** A request as it is sent. */
export interface EncodedRequest {
  readonly method: AppCall["method"];
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  readonly pauses?: CallPauses | undefined;
  readonly chunked: boolean;
}

/** Signs the token or the body, and writes the request. */
export function encodeRequest(parts: RequestParts): EncodedRequest {
  const { method, url, token, tokenIn, signature, chunked = false, tamper = (body) => body } = parts;
  const compact = token === null ? null : compactToken(token);
  const signed = bodyBytesOf(parts);
  const headers = signature === undefined ? parts.headers : [...parts.headers, ...signatureLines(signature, signed)];
  const bytes = tamper(signed);
  const request = { method, url, headers, body: bytes, pauses: parts.pauses, chunked };
  if ("placeholder" in tokenIn) return filledIn(request, tokenIn.placeholder, compact);
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

/** The bytes of the body, as they are signed. */
export function bodyBytesOf({ body }: RequestParts): Uint8Array {
  if (body === null) return Buffer.alloc(0);
  return "json" in body ? Buffer.from(JSON.stringify(body.json)) : body.bytes;
}

function signatureLines(signature: SignatureParts, body: Uint8Array): HeaderLines {
  const { scheme, key, now, id, over = body, respell = (value) => [value], statedTime = String(now) } = signature;
  return signatureHeaders(scheme, key, { body: over, now, id }).flatMap(([name, value]): HeaderLines => {
    if (name === scheme.timestampHeader) return statedTime === null ? [] : [[name, statedTime]];
    if (name === scheme.idHeader) return [[name, value]];
    return respell(value).map((line) => [name, line]);
  });
}

/** The request with the token instead of the placeholder, encoded for each place. */
function filledIn(request: EncodedRequest, placeholder: string, token: string | null): EncodedRequest {
  const compact = token ?? "";
  const type = headerValue(request.headers, "content-type") ?? "";
  const inBody = type.includes("json")
    ? JSON.stringify(compact).slice(1, -1)
    : type.includes("urlencoded")
      ? encodeURIComponent(compact)
      : compact;
  // Latin-1 preserves every byte of the body.
  const body = Buffer.from(Buffer.from(request.body).toString("latin1").replaceAll(placeholder, inBody), "latin1");
  // Without a token its header is omitted, too.
  const isForToken = (value: string) => value.includes(placeholder) && /^\w*\s*$/.test(value.replace(placeholder, ""));
  const headers = request.headers
    .filter(([, value]) => token !== null || !isForToken(value))
    .map(([name, value]) => [name, value.replaceAll(placeholder, compact)] as const);
  return { ...request, url: request.url.replaceAll(placeholder, encodeURIComponent(compact)), headers, body };
}

/** The compact form of a JWS (RFC 7515, 7.1). */
export function compactToken({ header, claims, key, write = JSON.stringify, respell }: TokenParts): string {
  const input = [header, claims].map((part) => Buffer.from(write(part)).toString("base64url")).join(".");
  const compact = `${input}.${key === null ? "" : signature(input, header.alg, key)}`;
  return respell?.(compact) ?? compact;
}

function signature(input: string, alg = "HS256", key: KeyObject): string {
  const hash = `sha${/\d+$/.exec(alg)?.[0] ?? "256"}`;
  if (key.type === "secret") return createHmac(hash, key).update(input).digest("base64url");
  const isEdwards = key.asymmetricKeyType === "ed25519" || key.asymmetricKeyType === "ed448";
  const options = alg.startsWith("ES") ? { key, dsaEncoding: "ieee-p1363" as const } : key;
  return sign(isEdwards ? null : hash, Buffer.from(input), options).toString("base64url");
}

/** The request with other claims; undefined removes one. */
export function withClaims(request: RequestParts, changes: Json): RequestParts | null {
  return withToken(request, ({ claims }) => ({ claims: defined({ ...claims, ...changes }) }));
}

/** The request with another token; null if it has none, or nothing can be changed. */
export function withToken(
  request: RequestParts,
  change: (token: TokenParts) => Partial<TokenParts> | null,
): RequestParts | null {
  const { token } = request;
  const changed = token === null ? null : change(token);
  return token === null || changed === null ? null : { ...request, token: { ...token, ...changed } };
}

/** The request with another signature; null if it has none, or nothing can be changed. */
export function withSignature(
  request: RequestParts,
  change: (signature: SignatureParts) => Partial<SignatureParts> | null,
): RequestParts | null {
  const { signature } = request;
  const changed = signature === undefined ? null : change(signature);
  return signature === undefined || changed === null ? null : { ...request, signature: { ...signature, ...changed } };
}

/** The request with other members in its JSON body; undefined removes one. */
export function withMembers(request: RequestParts, changes: Json): RequestParts | null {
  const { body } = request;
  if (body === null || !("json" in body)) return null;
  return { ...request, body: { json: defined({ ...(body.json as Json), ...changes }) } };
}

function defined(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** The request with these parameters in its URL, which replace those of the same names. */
export function withUrlParameters(
  request: RequestParts,
  parameters: Readonly<Record<string, string | number>>,
): RequestParts {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  return { ...request, url: url.href };
}

/** The request with this header replacing those of the same name, else at the end; null removes it. */
export function withHeader<Sent extends Pick<RequestParts, "headers">>(
  request: Sent,
  name: string,
  value: string | null,
): Sent {
  const isOther = ([line]: HeaderLines[number]) => line.toLowerCase() !== name.toLowerCase();
  const at = request.headers.findIndex((line) => !isOther(line));
  const before = request.headers.slice(0, at < 0 ? undefined : at);
  const after = at < 0 ? [] : request.headers.slice(at).filter(isOther);
  return { ...request, headers: [...before, ...(value === null ? [] : [[name, value] as const]), ...after] };
}
