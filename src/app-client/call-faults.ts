import type { CallPhase, FailedOutcome, HeaderLines } from "../journal/exchange.ts";
import { listens } from "./wait-for-app.ts";

/** Code of the error for an address that a call may not connect to. */
export const FORBIDDEN_ADDRESS = "FORBIDDEN_ADDRESS";

/** Code of undici for a body that is not as long as its Content-Length. */
const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** Whether an error means no more than an absent body: a 304 may give the length of the body that it omits (RFC 9110, 8.6). */
export function hasNoBody(status: number | undefined, error: NodeJS.ErrnoException): boolean {
  return error.code === LENGTH_MISMATCH && (status === 304 || status === 204);
}

/** Header lines of undici, which gives a flat list of names and values, whatever its types say. */
export function rawHeaderLines(raw: unknown): HeaderLines {
  const flat = (raw as Buffer[]).map((text) => text.toString("latin1"));
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));
}

/**
 * The outcome for an error of undici or of the socket.
 * @throws the error itself if the call could not be sent at all, which is a bug of app-sim
 */
export async function outcomeOfError(error: NodeJS.ErrnoException, phase: CallPhase, url: URL): Promise<FailedOutcome> {
  // Each address that was tried has its own error.
  const cause: NodeJS.ErrnoException = error instanceof AggregateError ? error.errors[0] : error;
  const code = cause.code ?? "";
  const detail = describe(cause);
  if (code === "UND_ERR_INVALID_ARG") throw error;
  if (code === FORBIDDEN_ADDRESS) return { kind: "unreachable", code, detail, elsewhere: null };
  const fault = httpFault(cause, phase);
  if (fault !== null) return { kind: "not-http", detail: fault };
  const offNetwork = cause.syscall !== "connect" && cause.syscall !== "getaddrinfo";
  // TLS 1.3 lets the client go on before the server has judged its certificate, so TLS may fail in any phase.
  if (code.startsWith("ERR_SSL_") || (url.protocol === "https:" && phase === "connect" && offNetwork)) {
    return { kind: "tls-failed", code: code || "UNKNOWN", detail };
  }
  if (phase !== "connect") return { kind: "disconnected", phase, detail };
  const elsewhere = code === "ECONNREFUSED" ? await otherLoopback(url) : null;
  return { kind: "unreachable", code: code || "UNKNOWN", detail, elsewhere };
}

/** What is wrong with bytes that are not an HTTP answer (R8 to R11); null if too few of them arrived. */
function httpFault({ name, code, message }: NodeJS.ErrnoException, phase: CallPhase): string | null {
  // A parser error of undici has no code.
  if (name === "HTTPParserError") return message.includes("Invalid EOF state") ? null : message;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "its headers are too large";
  if (code === LENGTH_MISMATCH) return phase === "body" ? null : "its Content-Length cannot be right";
  if (code === "ERR_ASSERTION" || message === "bad response" || message === "bad upgrade") {
    return "it begins with 100 Continue or another status below 200, which nothing asked for";
  }
  return null;
}

/** An app that listens on ::1 only, while 127.0.0.1 is called, or the reverse (hardening R3). */
async function otherLoopback(url: URL): Promise<string | null> {
  const other = { "127.0.0.1": "[::1]", "[::1]": "127.0.0.1" }[url.hostname];
  if (other === undefined) return null;
  const there = new URL(url.origin);
  there.hostname = other;
  return (await listens(there.href)) ? there.origin : null;
}

function describe({ message, code = "", reason }: NodeJS.ErrnoException & { readonly reason?: string }): string {
  // The message of an OpenSSL error is full of addresses and source lines.
  const text = code.startsWith("ERR_SSL_") ? reason : message;
  return (text || code).replaceAll(/\s+/g, " ").trim();
}
