import type { RequestParts } from "../../checking/request-parts.ts";

/** The JSON value of a body, whatever its Content-Type; undefined: it is none. */
export function callJson({ body }: RequestParts): unknown {
  if (body === null || !("bytes" in body)) return undefined;
  try {
    return JSON.parse(Buffer.from(body.bytes).toString());
  } catch {
    return undefined;
  }
}

/** The request with this JSON value as its body. */
export function withCallJson(request: RequestParts, value: unknown): RequestParts {
  return { ...request, body: { bytes: Buffer.from(JSON.stringify(value)) } };
}

/** The request with other members in its JSON body, as by the replacer of `JSON.stringify`; null if none changes. */
export function withChangedMembers(
  request: RequestParts,
  json: unknown,
  replacer: (name: string, value: unknown) => unknown,
): RequestParts | null {
  const changed = JSON.stringify(json, replacer);
  return changed === JSON.stringify(json) ? null : { ...request, body: { bytes: Buffer.from(changed) } };
}

/** The request with other texts in its JSON body; null if it has none, or none changes. */
export function withJsonTexts(request: RequestParts, change: (text: string) => string): RequestParts | null {
  const json = callJson(request);
  if (json === undefined) return null;
  return withChangedMembers(request, json, (_, value) => (typeof value === "string" ? change(value) : value));
}
