import { importJWK, type JWK, SignJWT } from "jose";
import type { ChoiceReader, Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { type KeyStore, keyId, loadOrMakeKey, publicKeyOf } from "./key-pairs.ts";

type Algorithm = Choices["guard.jwt.algorithm"];
type AsymmetricAlgorithm = Exclude<Algorithm, `HS${string}`>;

export interface TokenSigner {
  /** A compact JWT (RFC 7519) for one call to a module of the app (interface 5.1). */
  sign(claims: Record<string, unknown>, app: App, choices: ChoiceReader): Promise<string>;
  /** The public keys for these tokens, as a JWK Set (RFC 7517). */
  jwks(algorithm: Algorithm): Promise<{ keys: JWK[] }>;
}

export function isAsymmetric(algorithm: Algorithm): algorithm is AsymmetricAlgorithm {
  return !algorithm.startsWith("HS");
}

/** Makes a signer; it makes the platform's key pair when an algorithm first needs it. */
export function createTokenSigner(store: KeyStore | null): TokenSigner {
  const privateKeys = new Map<AsymmetricAlgorithm, Promise<JWK>>();
  const privateKey = (algorithm: AsymmetricAlgorithm): Promise<JWK> => {
    const key = privateKeys.get(algorithm) ?? loadOrMakeKey(algorithm, algorithm, store);
    privateKeys.set(algorithm, key);
    return key;
  };
  return {
    sign: async (claims, app, choices) => {
      const alg = choices.get("guard.jwt.algorithm");
      const token = new SignJWT(claims);
      if (isAsymmetric(alg)) {
        const key = await privateKey(alg);
        return token.setProtectedHeader({ alg, typ: "JWT", kid: await keyId(key) }).sign(await importJWK(key, alg));
      }
      const secret = choices.get("guard.jwt.key") === "client-secret" ? app.clientSecret : app.appSecret;
      return token.setProtectedHeader({ alg, typ: "JWT" }).sign(new TextEncoder().encode(secret));
    },
    jwks: async (algorithm) => {
      if (!isAsymmetric(algorithm)) return { keys: [] };
      return { keys: [await publicKeyOf(await privateKey(algorithm), algorithm)] };
    },
  };
}
