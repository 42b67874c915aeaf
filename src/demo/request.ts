import type { IncomingMessage } from "node:http";
import { type JWTPayload, jwtVerify } from "jose";

/** What the platform issued to this app when it was registered and installed. */
export interface Credentials {
  readonly clientId: string;
  /** Key of the JWTs on guard and post-import calls. */
  readonly clientSecret: string;
  /** Key of the webhook signatures. */
  readonly appSecret: string;
}

/** An answer ready to be sent; `body` is JSON text. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A request that this app turns down, with the status and the words that the caller gets. The words never
 * repeat what was sent: a token or a secret in an answer ends up in somebody's log.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Refuses the request with 400 unless the condition holds. */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Refusal(400, message);
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  return { status, headers: { "content-type": "application/json", "content-length": length, ...headers }, body };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads the Bearer JWT of a guard or post-import call and returns its claims. Refuses with 401 unless it was
 * signed by the platform, for this app, for this module, and is valid now (interface 5.1).
 */
export async function verifyToken(
  request: IncomingMessage,
  moduleKey: string,
  credentials: Credentials,
): Promise<JWTPayload> {
  const token = /^Bearer +([\w.-]+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
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

/** Refuses with 415 a request whose content type is not JSON. */
export function requireJson(request: IncomingMessage): void {
  const mediaType = (request.headers["content-type"] ?? "").split(";", 1)[0];
  if (mediaType?.trim().toLowerCase() !== "application/json") {
    throw new Refusal(415, "The content type must be application/json.");
  }
}

/** Reads the whole body, exactly as it was sent. Refuses with 413 one of more than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // What exceeds the limit is read but not kept: hanging up on a caller who still sends would lose our answer.
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw new Refusal(413, `The body must not be larger than ${limit} bytes.`);
  return Buffer.concat(chunks);
}

/** Parses a body as strict UTF-8 and JSON. Refuses with 400 anything else, a byte-order mark included. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new Refusal(400, "The body must be JSON in UTF-8.");
  }
}
