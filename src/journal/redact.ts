import { gunzipSync, gzipSync } from "node:zlib";
import { isNeverSecret } from "../protocol/no-value.ts";
import { authorizationHeader, credentialsIn, decodeJwt, jwt, REDACTED } from "./credentials.ts";
import type { Exchange, HeaderLines, Outcome, RecordedBody, RecordedRequest } from "./exchange.ts";
import { bodyBytes, recordBody } from "./journal.ts";
import { type Hide, hiderOf, KnownSecrets } from "./secret-hider.ts";

const CUT_SIGNATURE = "…";
/** A gzip body that decodes to more is treated as a decompression bomb. */
const GUNZIP_LIMIT_BYTES = 8 * 1024 * 1024;
/** Z_SYNC_FLUSH of zlib.h. Node's own constant would load zlib for every command. */
const SYNC_FLUSH = 2;
/** At the end of a cut body, fewer leading characters of a secret are coincidence. */
const SHORTEST_CUT_SECRET_CHARACTERS = 4;

/** Names of query parameters and JSON members that hold secrets, in lower case and without `_` and `-`. */
const secretNames = /^(jwttoken|code|codeverifier|accesstoken|refreshtoken|clientsecret|appsecret|token)$/;

const secretHeader = /^(set-)?cookie$|signature/i;
const parameter = /(^|&amp;|\\u0026|[?&#])([\w%.-]+)=([^&#\s"'<>\\]*)/g;
const memberName = /"((?:\\u[\da-f]{4}|[\w-])+)"\s*:\s*/gi;
const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*\\?"?|[[\]{}]|[\s,]+|[^\s,"[\]{}]+/gs;

/** Redacts the same secrets in many exchanges and texts, in time independent of the number of secrets. */
export class Redactor {
  readonly #secrets: KnownSecrets;

  constructor(secrets: readonly string[]) {
    this.#secrets = new KnownSecrets(secrets);
  }

  /**
   * A copy of an exchange that is safe to show or export. Replaced with `‹redacted›`: the given secrets and the
   * request's own signatures wherever they occur, plain, JSON-escaped or percent-encoded; credentials (a JWT loses only
   * its signature, so that its claims can be shown), cookies and signatures in headers; parameters and JSON members
   * that hold codes, tokens or secrets, even in an incomplete JSON body. A gzip body is decoded; a body that is not
   * UTF-8 is only searched for the secrets. A changed body has its new length as its size, plus what was not kept. An
   * empty value stays empty: a reader has to see that it was left out.
   */
  exchange(exchange: Exchange): Exchange {
    const { request, response } = exchange;
    const hidden = [this.#secrets, new KnownSecrets(credentialsIn(request))];
    const hide = hiderOf(hidden, REDACTED);
    const content = ({ headers, body }: Pick<RecordedRequest, "headers" | "body">) => ({
      headers: redactHeaders(headers, hide),
      body: redactBody(body, hidden),
    });
    return {
      ...exchange,
      module: exchange.module === null ? null : redactWith(hide, exchange.module),
      request: { ...request, url: redactWith(hide, request.url), ...content(request) },
      response: response && { ...response, ...content(response) },
      outcome: redactOutcome(exchange.outcome, hide),
    };
  }

  /**
   * A text on its own, such as the reason of a denial: redacts the secrets, signatures of JWTs, and secret query
   * parameters.
   */
  text(text: string): string {
    return redactWith(hiderOf([this.#secrets], REDACTED), text);
  }

  /** Redacts the secrets and signatures of JWTs, but no query parameters: for texts such as a translated string. */
  secretsIn(text: string): string {
    return withoutSignatures(text, hiderOf([this.#secrets], REDACTED));
  }
}

/** A copy of one exchange that is safe to show or export: see {@link Redactor}. */
export function redactExchange(exchange: Exchange, secrets: readonly string[]): Exchange {
  return new Redactor(secrets).exchange(exchange);
}

/**
 * Redacts a text on its own, such as the reason of a denial: the given secrets, signatures of JWTs, and secret query
 * parameters.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  return new Redactor(secrets).text(text);
}

/** Redacts the given secrets and signatures of JWTs, but no query parameters: for texts such as a translated string. */
export function redactSecrets(secrets: readonly string[]): Hide {
  const redactor = new Redactor(secrets);
  return (text) => redactor.secretsIn(text);
}

function redactWith(hide: Hide, text: string): string {
  return withoutSignatures(text, hide).replace(parameter, (whole, before: string, name: string, value: string) =>
    !isNeverSecret(formText(value)) && isSecretName(formText(name)) ? `${before}${name}=${REDACTED}` : whole,
  );
}

function withoutSignatures(text: string, hide: Hide): string {
  return hide(text).replace(jwt, (token) => withoutSignature(token, hide) ?? token);
}

/** The token without its signature, or fully redacted if a claim holds a secret; null if it is not a JWT. */
function withoutSignature(token: string, hide: Hide): string | null {
  const unsigned = token.slice(0, token.lastIndexOf(".") + 1);
  const decoded = decodeJwt(unsigned);
  if (decoded === null) return null;
  const content = JSON.stringify(decoded);
  return hide(content) === content ? unsigned + CUT_SIGNATURE : REDACTED;
}

function redactHeaders(headers: HeaderLines, hide: Hide): HeaderLines {
  return headers.map(([name, value]) => [redactWith(hide, name), redactHeader(name, value, hide)]);
}

function redactHeader(name: string, value: string, hide: Hide): string {
  if (/^\s*(bearer|basic)?\s*$/i.test(value)) return value;
  if (secretHeader.test(name)) return REDACTED;
  if (!authorizationHeader.test(name)) return redactWith(hide, value);
  const [, scheme = "", credentials = ""] = /^(\S+\s+)?(.*)$/s.exec(value.trim()) ?? [];
  return hide(scheme + (withoutSignature(credentials, hide) ?? REDACTED));
}

function redactOutcome(outcome: Outcome, hide: Hide): Outcome {
  if (!("detail" in outcome)) return outcome;
  const redacted = { ...outcome, detail: redactWith(hide, outcome.detail) };
  return "encoding" in redacted ? { ...redacted, encoding: redactWith(hide, redacted.encoding) } : redacted;
}

function redactBody(body: RecordedBody, hidden: readonly KnownSecrets[]): RecordedBody {
  const bytes = bodyBytes(body);
  const notKept = Math.max(0, body.size - bytes.length);
  const redacted = redactBytes(bytes, hidden, notKept > 0);
  return redacted.equals(bytes) ? body : recordBody(redacted, redacted.length + notKept, redacted.length);
}

function redactBytes(bytes: Buffer, hidden: readonly KnownSecrets[], isCut: boolean): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return redactPlain(bytes, hidden, isCut);
  const content = gunzip(bytes);
  if (content === null) return Buffer.from(REDACTED);
  const redacted = redactPlain(content, hidden, isCut);
  return redacted.equals(content) ? bytes : gzipSync(redacted);
}

/** The decoded content, or its beginning if the bytes are cut; null if it is not gzip, or a decompression bomb. */
export function gunzip(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, { finishFlush: SYNC_FLUSH, maxOutputLength: GUNZIP_LIMIT_BYTES });
  } catch {
    return null;
  }
}

function redactPlain(bytes: Buffer, hidden: readonly KnownSecrets[], isCut: boolean): Buffer {
  const text = decodeUtf8(bytes);
  if (text === null) return hideInBytes(bytes, hidden);
  const redacted = redactMembers(redactWith(hiderOf(hidden, REDACTED), text));
  const whole = isCut ? hideCutSecret(redacted, hidden) : redacted;
  return whole === text ? bytes : Buffer.from(whole);
}

/** Null if it is not UTF-8; an incomplete last character is dropped. */
function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** In Latin-1 each byte is one character, so text replacement works on any bytes. */
function hideInBytes(bytes: Buffer, hidden: readonly KnownSecrets[]): Buffer {
  const hide = hiderOf(
    hidden.map((secrets) => secrets.inLatin1()),
    Buffer.from(REDACTED).toString("latin1"),
  );
  return Buffer.from(hide(bytes.toString("latin1")), "latin1");
}

function hideCutSecret(text: string, hidden: readonly KnownSecrets[]): string {
  const length = Math.max(...hidden.map((secrets) => secrets.cutAtEnd(text, SHORTEST_CUT_SECRET_CHARACTERS)));
  return length === 0 ? text : text.slice(0, -length) + REDACTED;
}

/**
 * Works on the text rather than on parsed JSON, because a body may be cut, be NDJSON or be broken, and because
 * everything that is not secret should look as it was sent.
 */
function redactMembers(text: string): string {
  let redacted = "";
  let done = 0;
  for (const match of text.matchAll(memberName)) {
    const [member, name = ""] = match;
    const start = match.index + member.length;
    if (start < done || !isSecretName(decodeEscapes(name, /\\u([\da-f]{4})/gi))) continue;
    const end = jsonValueEnd(text, start);
    const value = text.slice(start, end);
    if (isNeverSecret(value.replace(/^"(.*)"$/s, "$1")) || isHarmless(name, value)) continue;
    redacted += `${text.slice(done, start)}"${REDACTED}"`;
    done = end;
  }
  return redacted + text.slice(done);
}

/**
 * Not a secret: an error number or constant under `code`, such as `ERR_X`, or a whole token answer under `token`, whose
 * members are redacted one by one.
 */
function isHarmless(name: string, value: string): boolean {
  return (name === "code" && /^(-?\d+|"[A-Z]+(_[A-Z\d]+)+")$/.test(value)) || (name === "token" && /^[[{]/.test(value));
}

/** Where the JSON value that starts here ends: the end of the text if it is incomplete. */
function jsonValueEnd(text: string, start: number): number {
  let depth = 0;
  let end = start;
  for (const [token] of text.slice(start).matchAll(jsonToken)) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth >= 0) end += token.length;
    if (depth <= 0) break;
  }
  return end;
}

/** A name or value of a query string or form, percent-decoded. */
function formText(text: string): string {
  return decodeEscapes(text.replaceAll("+", " "), /%([\da-f]{2})/gi);
}

function isSecretName(name: string): boolean {
  return secretNames.test(name.toLowerCase().replace(/[_-]/g, ""));
}

/** @param pattern of one escape, with its hexadecimal digits as the first group */
function decodeEscapes(text: string, pattern: RegExp): string {
  return text.replace(pattern, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
