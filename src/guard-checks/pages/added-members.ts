import type { RequestParts } from "../../checking/request-parts.ts";
import { callJson, withCallJson } from "./call-json.ts";
import { fieldsOf, withField } from "./form/form.ts";

/** The request with these members added to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedMembers(request: RequestParts, members: Readonly<Record<string, unknown>>): RequestParts {
  const json = callJson(request);
  if (typeof json === "object" && json !== null) return withCallJson(request, { ...json, ...members });
  return Object.entries(members).reduce<RequestParts>(
    (changed, [name, value]) => withField(changed, name, String(value)) ?? changed,
    request,
  );
}

/** Those of the names that no member or field of the request has. */
export function freeNames(request: RequestParts, names: readonly string[]): string[] {
  const json = callJson(request);
  const own = typeof json === "object" && json !== null ? Object.keys(json) : fieldsOf(request).map(([name]) => name);
  return names.filter((name) => !own.includes(name));
}
