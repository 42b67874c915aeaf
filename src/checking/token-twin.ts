import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "./check.ts";
import { type RequestParts, type TokenParts, withToken } from "./request-parts.ts";

/** A twin of the family, before it is bound to a place. */
export interface TokenTwin
  extends Pick<TwinCheck, "section" | "severity" | "why" | "fix" | "changes" | "choices" | "canary" | "twin"> {
  readonly name: string;
  /** The end of the title, after the place and "refuses". */
  readonly what: string;
}

/** Why an app must not accept a token that anybody can make. */
export const forgery =
  "Anybody can write such a token. With it a stranger can log in as any user of any organization that has the app.";

/** The fix for an app that does not verify the signature. */
export const verify =
  "Verify the signature of the JWT with the secret that was issued to the app, before reading anything in it.";

/** The fix for an app that lets a token choose how it is verified. */
export const pinnedAlgorithm =
  "Name the one algorithm that the app expects, and let the library refuse all others, whatever the token says about itself.";

/** A secret that was issued to no app. */
export const strangersSecret = "a secret of nobody in particular, of 48 bytes";

/** Makes a twin whose token is signed or spelled differently. */
export const withProof = (change: (token: TokenParts) => Partial<TokenParts> | null) => (request: RequestParts) =>
  withToken(request, change);

/** Makes a twin whose token is spelled differently in its compact form. */
export const respelled = (respell: (compact: string) => string) => withProof(() => ({ respell }));

/** The request with a token that a stranger has signed; null: it has none. */
export const withStrangersSignature = withProof(({ header }) => signedWith(header, strangersSecret));

/** Signs with a text instead of the secret, by HMAC. */
export function signedWith(header: TokenParts["header"], secret: string): Partial<TokenParts> {
  const { alg = "" } = header;
  return { header: { ...header, alg: alg.startsWith("HS") ? alg : "HS256" }, key: createSecretKey(secret, "utf8") };
}
