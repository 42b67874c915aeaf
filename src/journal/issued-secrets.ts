import { isNoValueWord } from "../protocol/no-value.ts";
import { type Exchange, headerValue } from "./exchange.ts";
import { bodyText } from "./journal.ts";

const names = ["code", "code_verifier", "access_token", "refresh_token"] as const;

/** A secret of an authorization, with the name of its parameter. */
export interface IssuedSecret {
  readonly name: (typeof names)[number];
  readonly value: string;
}

/**
 * Characters of codes, verifiers and tokens (RFC 6749, appendix A; RFC 7636, 4.1): a request may use these names for
 * anything. Shorter values occur in any text by chance.
 */
const secretValue = /^[\w.~+/=-]{8,}$/;

/** The codes, verifiers and tokens in an exchange with the authorization server (interface 2.7, 5.2, 5.3). */
export function issuedSecrets({ purpose, request, response }: Exchange): IssuedSecret[] {
  if (purpose === "authorize" || purpose === "consent") {
    const [, query] = /\?([^#]*)/.exec(headerValue(response?.headers ?? [], "location") ?? "") ?? [];
    return secretsIn(new URLSearchParams(query));
  }
  if (purpose !== "token") return [];
  const body = bodyText(request.body);
  const answer = response === null ? "" : bodyText(response.body);
  return [membersOf(body), new URLSearchParams(body), membersOf(answer)].flatMap(secretsIn);
}

function secretsIn(values: { get(name: string): unknown }): IssuedSecret[] {
  return names.flatMap((name) => {
    const value = values.get(name);
    const isSecret = typeof value === "string" && secretValue.test(value) && !isNoValueWord(value);
    return isSecret ? [{ name, value }] : [];
  });
}

function membersOf(json: string): ReadonlyMap<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(json) ?? {}));
  } catch {
    return new Map();
  }
}
