import type { CallPhase, FailedOutcome, HeaderLines } from "../journal/exchange.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { SPEAKS_HTTP2 } from "./explain-outcome.ts";
import { listens } from "./wait-for-app.ts";

/** An error of undici or of the socket, with the extra members that some of them have. */
interface CallError extends NodeJS.ErrnoException {
  /** From the HTTP parser: what it could not parse. */
  readonly data?: string;
  /** From OpenSSL: the reason in plain words. */
  readonly reason?: string;
  /** From a certificate check: the host that the certificate is not for. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: unknown } };
}

/** Code of the error for an address that must not be connected to. */
export const FORBIDDEN_ADDRESS = "FORBIDDEN_ADDRESS";

/** Code of undici for a body that is not as long as its Content-Length. */
const LENGTH_MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/**
 * Whether an error means no more than an absent body: a 304 may give the length of the body that it omits (RFC 9110,
 * 8.6).
 */
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
 * @throws the error itself if the call could not be sent at all, which is a bug in app-sim
 */
export async function outcomeOfError(error: CallError, phase: CallPhase, url: URL): Promise<FailedOutcome> {
  // Each address that was tried has an error of its own.
  const cause: CallError = error instanceof AggregateError ? error.errors[0] : error;
  const code = cause.code ?? "";
  const detail = describe(cause);
  if (code === "UND_ERR_INVALID_ARG") throw error;
  if (code === FORBIDDEN_ADDRESS) return { kind: "unreachable", code, detail, elsewhere: null };
  const fault = httpFault(cause, phase);
  if (fault !== null) return { kind: "not-http", detail: fault };
  const offNetwork = cause.syscall !== "connect" && cause.syscall !== "getaddrinfo";
  // In TLS 1.3 the client may send before the server has checked its certificate, so TLS may fail in any phase.
  if (code.startsWith("ERR_SSL_") || (url.protocol === "https:" && phase === "connect" && offNetwork)) {
    return { kind: "tls-failed", code: code || "UNKNOWN", detail };
  }
  if (phase !== "connect") return { kind: "disconnected", phase, detail };
  const elsewhere = code === "ECONNREFUSED" ? await otherLoopback(url) : null;
  return { kind: "unreachable", code: code || "UNKNOWN", detail, elsewhere };
}

/**
 * Whether bytes begin like those of an HTTP/2 server: with a short SETTINGS frame of the connection (RFC 9113, 3.4).
 */
function isHttp2(data: string): boolean {
  return data.startsWith("\0\0") && data.startsWith("\x04\0\0\0\0\0", 3);
}

/** What is wrong with bytes that are not an HTTP answer (R8 to R11); null if too few of them arrived. */
function httpFault({ name, code, message, data }: CallError, phase: CallPhase): string | null {
  // A parser error of undici has no code.
  if (name === "HTTPParserError") {
    if (message.includes("Invalid EOF state")) return null;
    // What the parser expected is of no use to the reader.
    return isHttp2(data ?? "") ? SPEAKS_HTTP2 : message.replace(/ \(Expected HTTP\/, .*\)$/, "");
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "its headers are too large";
  if (code === LENGTH_MISMATCH) return phase === "body" ? null : "its Content-Length is wrong";
  if (code === "ERR_ASSERTION" || message === "bad response" || message === "bad upgrade") {
    return "it begins with 100 Continue or another status below 200, which was not requested";
  }
  return null;
}

/** The loopback addresses that a refused call may have missed: `localhost` may stand for one of them only. */
const otherLoopbacks: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": ["[::1]"],
  "[::1]": ["127.0.0.1"],
  localhost: ["[::1]", "127.0.0.1"],
};

/** An app that listens only on ::1 while 127.0.0.1 is called, or the reverse (hardening R3). */
async function otherLoopback(url: URL): Promise<string | null> {
  for (const other of otherLoopbacks[url.hostname] ?? []) {
    const there = new URL(url.origin);
    there.hostname = other;
    if (await listens(there.href)) return there.origin;
  }
  return null;
}

function describe({ message, code = "", reason, host, cert }: CallError): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" && host !== undefined) {
    const names =
      (cert?.subjectaltname ?? "").replaceAll(/\b(?:DNS|IP Address):/g, "") || String(cert?.subject?.CN ?? "");
    const whose =
      names === "" ? "its certificate names no host" : `its certificate is for ${clip(harmlessLine(names), 120)}`;
    return `${whose}, and not for ${host}`;
  }
  // The message of an OpenSSL error is full of addresses and source lines.
  const text = code.startsWith("ERR_SSL_") ? reason : message;
  return (text || code).replaceAll(/\s+/g, " ").trim();
}
