import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { App } from "../config/schema.ts";
import type { ChoiceReader, Choices } from "../protocol/choices.ts";

type Algorithm = Choices["guard.jwt.algorithm"];
type AsymmetricAlgorithm = Exclude<Algorithm, `HS${string}`>;
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface TokenSigner {
  /** A compact JWT (RFC 7519) for one call to a module of the app (interface 5.1). */
  sign(claims: Record<string, unknown>, app: App, choices: ChoiceReader): Promise<string>;
  /** The public keys that are needed to verify what `sign` made, as a JWK Set (RFC 7517). */
  jwks(algorithm: Algorithm): Promise<{ keys: JWK[] }>;
}

export function isAsymmetric(algorithm: Algorithm): algorithm is AsymmetricAlgorithm {
  return !algorithm.startsWith("HS");
}

/** Signs module tokens; makes the platform's own key pair when an algorithm first needs it. */
export function createTokenSigner(): TokenSigner {
  const pairs = new Map<AsymmetricAlgorithm, Promise<KeyPair>>();
  const keyPair = (algorithm: AsymmetricAlgorithm): Promise<KeyPair> => {
    const pair = pairs.get(algorithm) ?? generateKeyPair(algorithm);
    pairs.set(algorithm, pair);
    return pair;
  };
  return {
    sign: async (claims, app, choices) => {
      const alg = choices.get("guard.jwt.algorithm");
      const token = new SignJWT(claims);
      if (isAsymmetric(alg)) {
        return token.setProtectedHeader({ alg, typ: "JWT", kid: keyId(alg) }).sign((await keyPair(alg)).privateKey);
      }
      const secret = choices.get("guard.jwt.key") === "client-secret" ? app.clientSecret : app.appSecret;
      return token.setProtectedHeader({ alg, typ: "JWT" }).sign(new TextEncoder().encode(secret));
    },
    jwks: async (algorithm) => {
      if (!isAsymmetric(algorithm)) return { keys: [] };
      const jwk = await exportJWK((await keyPair(algorithm)).publicKey);
      return { keys: [{ ...jwk, kid: keyId(algorithm), alg: algorithm, use: "sig" }] };
    },
  };
}

function keyId(algorithm: AsymmetricAlgorithm): string {
  return `app-sim-${algorithm.toLowerCase()}`;
}
