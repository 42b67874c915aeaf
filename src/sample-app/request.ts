import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** An answer ready to be sent. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of a body: is sent as it comes. */
  readonly stream?: Readable;
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

/** A reply whose body is a text of the given content type. */
export function text(status: number, contentType: string, body: string, headers: Reply["headers"] = {}): Reply {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { "content-type": contentType, "content-length": length, ...headers }, body };
}

export function json(status: number, value: unknown, headers: Reply["headers"] = {}): Reply {
  return text(status, "application/json", JSON.stringify(value), headers);
}

/** Sends the browser on to another address. */
export function redirect(location: string, headers: Reply["headers"] = {}): Reply {
  return { status: 302, headers: { location, "content-length": "0", ...headers } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses with 415 a request whose content type is not this one; parameters such as a charset are free. */
export function requireType(request: IncomingMessage, mediaType: string): void {
  const given = (request.headers["content-type"] ?? "").split(";", 1)[0];
  if (given?.trim().toLowerCase() !== mediaType) throw new Refusal(415, `The content type must be ${mediaType}.`);
}

/** The query of the address, still percent-encoded and without its question mark. */
export function queryOf(request: IncomingMessage): string {
  return /\?(.*)$/.exec(request.url ?? "")?.[1] ?? "";
}

/** The value of a field of a query or a form; null if it is missing or there are several, of which none is to be trusted. */
export function onlyValue(fields: URLSearchParams, name: string): string | null {
  const [value = null, ...others] = fields.getAll(name);
  return others.length === 0 ? value : null;
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
