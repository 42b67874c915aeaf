import type { RequestParts } from "../../../checking/request-parts.ts";

/** The JSON value of a body, whatever its Content-Type; undefined: it is none. */
export function callJson({ body }: RequestParts): unknown {
  if (body === null || !("bytes" in body)) return undefined;
  try {
    return JSON.parse(Buffer.from(body.bytes).toString());
  } catch {
    return undefined;
  }
}
