import type { FastifyInstance, FastifyRequest } from "fastify";
import type { HeaderLines } from "../journal/exchange.ts";
import type { Arrival } from "./arrival.ts";

/** Larger than any body that the authorization server or the REST API takes. */
const LIMIT_BYTES = 64 * 1024;

/** Makes a scope in which a body stays the bytes that came, whatever their type: what they are is judged later. */
export function keepBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "*",
    { parseAs: "buffer", bodyLimit: LIMIT_BYTES },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
}

/** A request as it came, for the simulator. */
export function arrivalOf(request: FastifyRequest, body: Uint8Array = bodyOf(request)): Arrival {
  return { method: request.method, url: request.url, headers: headerLines(request.raw.rawHeaders), body };
}

function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function headerLines(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
}
