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

/** The request with other texts in its JSON body; null if it has none, or none changes. */
export function withJsonTexts(request: RequestParts, change: (text: string) => string): RequestParts | null {
  const json = callJson(request);
  if (json === undefined) return null;
  const was = JSON.stringify(json);
  const is = JSON.stringify(json, (_, value) => (typeof value === "string" ? change(value) : value));
  return was === is ? null : { ...request, body: { bytes: Buffer.from(is) } };
}
