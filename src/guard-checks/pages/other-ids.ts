import { type RequestParts, withHeader } from "../../checking/request-parts.ts";
import type { User } from "../../config/schema.ts";
import { literalPattern } from "../../protocol/literal-pattern.ts";
import { withAddedMembers, withAddedUser } from "./added-members.ts";

/** The request with an id added under these names to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedId(request: RequestParts, names: readonly string[], id: number): RequestParts {
  return withAddedMembers(request, eachNamed(names, id));
}

/** The request with a JSON body that has an id under these names, if it has no body; null: it has one. */
export function withIdAsBody(request: RequestParts, names: readonly string[], id: number): RequestParts | null {
  if (request.body !== null || request.method !== "POST") return null;
  return withHeader({ ...request, body: { json: eachNamed(names, id) } }, "Content-Type", "application/json");
}

function eachNamed(names: readonly string[], id: number): Readonly<Record<string, number>> {
  return Object.fromEntries(names.map((name) => [name, id]));
}

/** The request with another id, or key, instead of its own one in its query and body; null if that is nowhere. */
export function withOtherId<Id extends number | string>(
  request: RequestParts,
  own: Id,
  other: Id,
): RequestParts | null {
  const swap = swapping(own, other);
  const url = new URL(request.url);
  const bytes =
    request.body !== null && "bytes" in request.body ? Buffer.from(request.body.bytes).toString("latin1") : "";
  const changed = {
    ...request,
    url: url.origin + url.pathname + swap(url.search),
    body: bytes === "" ? request.body : { bytes: Buffer.from(swap(bytes), "latin1") },
  };
  return swap(url.search) === url.search && swap(bytes) === bytes ? null : changed;
}

/** The request about another user, by id or login in its query or body; if it names nobody there, they are added. */
export function withOtherUser(request: RequestParts, own: User, other: User): RequestParts {
  const changed = withOtherId(request, own.id, other.id);
  return withOtherId(changed ?? request, own.login, other.login) ?? changed ?? withAddedUser(request, other);
}

/** The request with another id, or key, instead of its own one in its path; null if that is not there. */
export function withOtherIdInPath<Id extends number | string>(
  request: RequestParts,
  own: Id,
  other: Id,
): RequestParts | null {
  const url = new URL(request.url);
  const pathname = swapping(own, other)(url.pathname);
  return pathname === url.pathname ? null : { ...request, url: url.origin + pathname + url.search };
}

function swapping(own: number | string, other: number | string): (text: string) => string {
  const pattern = new RegExp(`(?<![\\w-])${literalPattern(String(own))}(?![\\w-])`, "g");
  return (text) => text.replaceAll(pattern, () => String(other));
}
