import { readQuery } from "../../protocol/url.ts";

/** The parameters of an OAuth request, with all values of each, in order. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** Collects the pairs of a query, a form or a JSON object. */
export function parametersOf(pairs: Iterable<readonly [string, string]>): Parameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of pairs) parameters.set(name, [...(parameters.get(name) ?? []), value]);
  return parameters;
}

/** The parameters in the query of an address; null if it is not percent-encoded UTF-8. */
export function queryParameters(url: string): Parameters | null {
  const query = readQuery(/\?.*$/s.exec(url)?.[0] ?? "");
  return query && parametersOf(query);
}

/** The value of a parameter; null if it is missing or empty, which means the same (RFC 6749 section 3.1). */
export function parameterOf(parameters: Parameters, name: string): string | null {
  return parameters.get(name)?.[0] || null;
}

/** The first of these names that was sent more than once (RFC 6749 sections 3.1 and 3.2 forbid that). */
export function repeatedOf(parameters: Parameters, names: readonly string[]): string | null {
  return names.find((name) => (parameters.get(name)?.length ?? 0) > 1) ?? null;
}

/** The scopes of a space-separated list (RFC 6749 section 3.3), without repetitions; null if it is not such a list. */
export function scopesOf(text: string): readonly string[] | null {
  const scopes = text.split(" ");
  return scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) ? [...new Set(scopes)] : null;
}
