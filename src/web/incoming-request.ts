import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Exchange, HeaderLines, RecordedBody } from "../journal/exchange.ts";
import { recordBody } from "../journal/journal.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";

/** A request to the platform, exactly as it was sent. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query string. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

/** More than any body that the authorization server or the REST API accepts. */
const BODY_LIMIT_BYTES = 64 * 1024;

/** Keeps the body of every request in a scope as bytes, whatever its content type; it is parsed later. */
export function keepBodies(scope: FastifyInstance, bodyLimit = BODY_LIMIT_BYTES): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "*",
    { parseAs: "buffer", bodyLimit },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
}

/** The request that fastify received; `body` replaces one that fastify has parsed. */
export function incomingRequest(request: FastifyRequest, body: unknown = request.body): IncomingRequest {
  const { method, url, raw } = request;
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  return { method, url, headers: headerLines(raw.rawHeaders), body: bytes };
}

function headerLines(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}

export interface Answered extends Pick<Exchange, "purpose" | "module" | "check" | "startedAt" | "timings" | "outcome"> {
  /** null if it was not answered. */
  readonly answer: (Pick<WireAnswer, "status" | "headers"> & { readonly sent: RecordedBody }) | null;
}

/** Writes the exchange of a request to the platform into the journal, and returns its id. */
export function recordExchange(
  { journal, ids, baseUrl }: Pick<SimulatorContext, "journal" | "ids" | "baseUrl">,
  { method, url, headers, body }: IncomingRequest,
  { answer, ...facts }: Answered,
): string {
  const id = ids.next();
  journal.append({
    type: "exchange",
    id,
    ...facts,
    request: { method, url: baseUrl() + url, headers, body: recordBody(body) },
    response: answer && {
      status: answer.status,
      headers: Object.entries({ ...BASE_HEADERS, ...answer.headers }),
      body: answer.sent,
    },
  });
  return id;
}
