import type { Area, TwinCheck } from "./check.ts";
import { tokenClaimTwins } from "./token-claim-twins.ts";
import { tokenKeyTwins } from "./token-key-twins.ts";
import { tokenProofTwins } from "./token-proof-twins.ts";
import { tokenSignatureTwins } from "./token-signature-twins.ts";

/** A place that accepts JWTs. */
export interface TokenPlace {
  /** The beginning of the ids, such as `guard.token`. */
  readonly prefix: string;
  readonly area: Area;
  /** The place, as the beginning of the titles: `The guard`. */
  readonly what: string;
}

/** The twins of the tokens sent to one place: the same family wherever a JWT is accepted (hardening G1 to G11). */
export function tokenTwins({ prefix, area, what }: TokenPlace): TwinCheck[] {
  const twins = [...tokenProofTwins, ...tokenSignatureTwins, ...tokenKeyTwins, ...tokenClaimTwins];
  return twins.map(({ name, what: refused, ...twin }) => ({
    ...twin,
    id: `${prefix}.${name}`,
    area,
    title: `${what} refuses ${refused}`,
    right: "refused",
  }));
}
