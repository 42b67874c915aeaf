import type { Area, TwinCheck } from "./check.ts";
import { tokenClaimTwins } from "./token-claim-twins.ts";
import { tokenKeyTwins } from "./token-key-twins.ts";
import { tokenProofTwins } from "./token-proof-twins.ts";

/** Where a JWT is taken. */
export interface TokenPlace {
  /** The beginning of the ids, such as `guard.token`. */
  readonly prefix: string;
  readonly area: Area;
  /** What takes the token, as the beginning of the titles: `The guard`. */
  readonly what: string;
}

/** The twins of the tokens of requests to one place: the same family wherever a JWT is taken (hardening G1 to G11). */
export function tokenTwins({ prefix, area, what }: TokenPlace): TwinCheck[] {
  return [...tokenProofTwins, ...tokenKeyTwins, ...tokenClaimTwins].map(({ name, what: refused, ...twin }) => ({
    ...twin,
    id: `${prefix}.${name}`,
    area,
    title: `${what} refuses ${refused}`,
    right: "refused",
  }));
}
