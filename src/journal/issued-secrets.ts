import type { Exchange } from "./exchange.ts";
import { headerValue } from "./exchange.ts";
import { bodyText } from "./journal.ts";

/** A secret of an authorization, by the name of the parameter that held it. */
export interface IssuedSecret {
  readonly name: "code" | "code_verifier" | "access_token" | "refresh_token";
  readonly value: string;
}

const names = ["code", "code_verifier", "access_token", "refresh_token"] as const;
/** Shorter values are found in any text, and tell nothing. */
const TELLING_CHARACTERS = 8;

/** The codes, verifiers and tokens that an exchange with the authorization server holds (interface 2.7, 5.2, 5.3). */
export function issuedSecrets({ purpose, request, response }: Exchange): IssuedSecret[] {
  switch (purpose) {
    case "authorize":
    case "consent":
      return secretsIn(queryOf(headerValue(response?.headers ?? [], "location") ?? ""));
    case "token":
      return [
        ...secretsIn(membersOf(bodyText(request.body))),
        ...secretsIn(new URLSearchParams(bodyText(request.body))),
        ...(response === null ? [] : secretsIn(membersOf(bodyText(response.body)))),
      ];
    default:
      return [];
  }
}

function secretsIn(values: { get(name: string): unknown }): IssuedSecret[] {
  return names.flatMap((name) => {
    const value = values.get(name);
    return typeof value === "string" && value.length >= TELLING_CHARACTERS ? [{ name, value }] : [];
  });
}

function queryOf(address: string): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(address)?.[1] ?? "");
}

function membersOf(json: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
