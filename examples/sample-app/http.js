import { randomBytes } from "node:crypto";

/**
 * @typedef {import("node:http").IncomingMessage} IncomingMessage
 * @typedef {{ status: number, headers?: Record<string, string>, body?: string | import("node:stream").Readable }} Reply
 * @typedef {(request: IncomingMessage, signal: AbortSignal) => Promise<Reply>} Handler the signal is aborted when the
 * client disconnects
 */

/**
 * A request that this app refuses, with the status and the message for the caller. The message never repeats what was
 * sent: a token or a secret in an answer ends up in somebody's log.
 */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {Record<string, string>} [headers] */
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Refuses the request with 400 unless the condition holds.
 *
 * @type {(condition: unknown, message: string) => asserts condition}
 */
export const demand = (condition, message) => {
  if (!condition) throw new Refusal(400, message);
};

export function text(status, contentType, body, headers = {}) {
  return { status, headers: { "content-type": contentType, ...headers }, body };
}

export function json(status, value, headers = {}) {
  return text(status, "application/json", JSON.stringify(value), headers);
}

export function redirect(location, headers = {}) {
  return { status: 302, headers: { location, ...headers } };
}

/** @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function requireType(request, mediaType) {
  const [given] = (request.headers["content-type"] ?? "").split(";", 1);
  if (given.trim().toLowerCase() !== mediaType) throw new Refusal(415, `The content type must be ${mediaType}.`);
}

/** The query of the address, still percent-encoded. */
export function queryOf(request) {
  return /\?(.*)$/.exec(request.url)?.[1] ?? "";
}

/** A field of a query or a form; "" if it is missing, or if there are several: none of them can be trusted. */
export function onlyValue(fields, name) {
  const values = fields.getAll(name);
  return values.length === 1 ? values[0] : "";
}

/** The whole body of a request, or of an answer, exactly as it was sent. Refuses one of more than `limit` bytes. */
export async function readBody(body, limit) {
  const chunks = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Anything beyond the limit is read but not kept: disconnecting a client that is still sending would lose our
    // answer.
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw new Refusal(413, `The body must not be larger than ${limit} bytes.`);
  return Buffer.concat(chunks);
}

/** Parses strict UTF-8 and JSON; refuses anything else, including a byte order mark. */
export function parseJson(body) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new Refusal(400, "The body must be JSON in UTF-8.");
  }
}

/** "" if several have this name: every server on this host can set one, and nothing shows which is ours. */
export function cookieOf(request, name) {
  const cookies = (request.headers.cookie ?? "").split(/; */).filter((cookie) => cookie.startsWith(`${name}=`));
  return cookies.length === 1 ? cookies[0].slice(name.length + 1) : "";
}

/** No script reads the cookie; other sites' requests carry it only where they open a page. Behind https, add Secure. */
export function setCookie(name, value, attributes = "") {
  return { "set-cookie": `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${attributes}` };
}

/** 256 random bits, as 43 characters that are valid in a URL and in a cookie. */
export function unguessable() {
  return randomBytes(32).toString("base64url");
}
