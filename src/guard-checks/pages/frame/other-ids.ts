import { type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import { withField } from "../form/form.ts";
import { callJson } from "./call-json.ts";

/** The request with an id added under these names to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedId(request: RequestParts, names: readonly string[], id: number): RequestParts {
  return withAddedMembers(request, eachNamed(names, id));
}

/** The request with these members added to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedMembers(request: RequestParts, members: Readonly<Record<string, unknown>>): RequestParts {
  const json = callJson(request);
  if (typeof json === "object" && json !== null)
    return { ...request, body: { bytes: Buffer.from(JSON.stringify({ ...json, ...members })) } };
  return Object.entries(members).reduce<RequestParts>(
    (changed, [name, value]) => withField(changed, name, String(value)) ?? changed,
    request,
  );
}

/** The request with a JSON body that has an id under these names, if it has no body; null: it has one. */
export function withIdAsBody(request: RequestParts, names: readonly string[], id: number): RequestParts | null {
  if (request.body !== null || request.method !== "POST") return null;
  return withHeader({ ...request, body: { json: eachNamed(names, id) } }, "Content-Type", "application/json");
}

function eachNamed(names: readonly string[], id: number): Readonly<Record<string, number>> {
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
