import type { RequestParts } from "../../checking/request-parts.ts";
import type { User } from "../../config/schema.ts";
import { callJson, withCallJson } from "./call-json.ts";
import { fieldsOf, userNames, withField } from "./form/form.ts";

/** The request with these members added to its body, which is JSON or a form; without a body, to its URL. */
export function withAddedMembers(request: RequestParts, members: Readonly<Record<string, unknown>>): RequestParts {
  const json = callJson(request);
  if (typeof json === "object" && json !== null) return withCallJson(request, { ...json, ...members });
  return Object.entries(members).reduce<RequestParts>(
    (changed, [name, value]) => withField(changed, name, String(value)) ?? changed,
    request,
  );
}

/** How names are put into a group of fields, such as `form[pin]` in Rails and PHP, and `form.pin` in Java and .NET. */
const groups: readonly (readonly [pattern: RegExp, nest: (group: string, name: string) => string])[] = [
  [/^(.+)\[[\w-]+\]$/, (group, name) => `${group}[${name}]`],
  [/^(.+)\.\w+$/, (group, name) => `${group}.${name}`],
];

/**
 * The request with a user's id and login added under the names that usually have one, in its groups of fields, too. Names
 * that it already has are left alone: they may mean something else.
 */
export function withAddedUser(request: RequestParts, { id, login }: Pick<User, "id" | "login">): RequestParts {
  const named = new Map(groupedNames(request, [...userNames, "login"]));
  const free = freeNames(request, [...named.keys()]);
  const members = free.map((full) => [full, named.get(full) === "login" ? login : id]);
  return withAddedMembers(request, Object.fromEntries(members));
}

/** The names, and the same names in each group of fields that the request has. */
function groupedNames(request: RequestParts, names: readonly string[]): (readonly [full: string, name: string])[] {
  const fields = fieldsOf(request).map(([name]) => name);
  const inGroups = groups.flatMap(([pattern, nest]) => {
    const found = new Set(fields.flatMap((field) => pattern.exec(field)?.[1] ?? []));
    return [...found].flatMap((group) => names.map((name) => [nest(group, name), name] as const));
  });
  return [...names.map((name) => [name, name] as const), ...inGroups];
}

/** Those of the names that no member or field of the request has. */
export function freeNames(request: RequestParts, names: readonly string[]): string[] {
  const json = callJson(request);
  const own = typeof json === "object" && json !== null ? Object.keys(json) : fieldsOf(request).map(([name]) => name);
  return names.filter((name) => !own.includes(name));
}
