import { type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import { withField } from "../form/form.ts";

type Fields = Readonly<Record<string, number>>;

/** The request with fields added to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedFields(request: RequestParts, fields: Fields): RequestParts {
  const bytes = request.body !== null && "bytes" in request.body ? Buffer.from(request.body.bytes).toString() : "";
  try {
    const json: unknown = bytes === "" ? {} : JSON.parse(bytes);
    if (bytes !== "" && typeof json === "object" && json !== null)
      return { ...request, body: { bytes: Buffer.from(JSON.stringify({ ...json, ...fields })) } };
  } catch {
    // Not JSON.
  }
  return Object.entries(fields).reduce<RequestParts>(
    (changed, [name, id]) => withField(changed, name, String(id)) ?? changed,
    request,
  );
}

/** The request with a JSON body of these fields, if it has no body; null: it has one. */
export function withFieldsAsBody(request: RequestParts, fields: Fields): RequestParts | null {
  if (request.body !== null || request.method !== "POST") return null;
  return withHeader({ ...request, body: { json: fields } }, "Content-Type", "application/json");
}

/** Fields of these names that all have this value. */
export function eachNamed(names: readonly string[], id: number): Fields {
  return Object.fromEntries(names.map((name) => [name, id]));
}

/** The request with another id instead of its own one; null if that is nowhere. */
export function withOtherId(request: RequestParts, own: number, other: number): RequestParts | null {
  const swap = (text: string) => text.replaceAll(new RegExp(`(?<![\\w-])${own}(?![\\w-])`, "g"), String(other));
  const bytes =
    request.body !== null && "bytes" in request.body ? Buffer.from(request.body.bytes).toString("latin1") : "";
  const changed = {
    ...request,
    url: swap(request.url),
    body: bytes === "" ? request.body : { bytes: Buffer.from(swap(bytes), "latin1") },
  };
  return changed.url === request.url && swap(bytes) === bytes ? null : changed;
}
