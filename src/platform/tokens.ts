import { createPrivateKey, createSecretKey, type KeyObject } from "node:crypto";
import { type JWK, SignJWT } from "jose";
import type { ChoiceReader, Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { type KeyStore, keyId, loadOrMakeKey, publicKeyOf } from "./key-pairs.ts";

type Algorithm = Choices["guard.jwt.algorithm"];
type AsymmetricAlgorithm = Exclude<Algorithm, `HS${string}`>;

/** How a token is signed: its protected header (RFC 7515, 4), and the key. */
export interface SigningKey {
  readonly header: { readonly alg: Algorithm; readonly typ: "JWT"; readonly kid?: string };
  readonly key: KeyObject;
}

export interface TokenSigner {
  /** Signs a compact JWT (RFC 7519) for one call to a module of the app (interface 5.1). */
  sign(claims: Record<string, unknown>, app: App, choices: ChoiceReader): Promise<string>;
  /** How the app's tokens are signed. */
  signingKey(app: App, choices: ChoiceReader): Promise<SigningKey>;
  /** The public keys for these tokens, as a JWK Set (RFC 7517). */
  jwks(algorithm: Algorithm): Promise<{ keys: JWK[] }>;
}

export function isAsymmetric(algorithm: Algorithm): algorithm is AsymmetricAlgorithm {
  return !algorithm.startsWith("HS");
}

/** Creates a signer; it generates the platform's key pair when an algorithm first needs it. */
export function createTokenSigner(store: KeyStore | null): TokenSigner {
  const privateKeys = new Map<AsymmetricAlgorithm, Promise<JWK>>();
  const privateKey = (algorithm: AsymmetricAlgorithm): Promise<JWK> => {
    const key = privateKeys.get(algorithm) ?? loadOrMakeKey(algorithm, algorithm, store);
    privateKeys.set(algorithm, key);
    return key;
  };
  const signingKey = async (app: App, choices: ChoiceReader): Promise<SigningKey> => {
    const alg = choices.get("guard.jwt.algorithm");
    if (isAsymmetric(alg)) {
      const jwk = await privateKey(alg);
      const header = { alg, typ: "JWT" as const, kid: await keyId(jwk) };
      return { header, key: createPrivateKey({ key: { ...jwk }, format: "jwk" }) };
    }
    const secret = choices.get("guard.jwt.key") === "client-secret" ? app.clientSecret : app.appSecret;
    return { header: { alg, typ: "JWT" }, key: createSecretKey(secret, "utf8") };
  };
  return {
    signingKey,
    sign: async (claims, app, choices) => {
      const { header, key } = await signingKey(app, choices);
      return new SignJWT(claims).setProtectedHeader(header).sign(key);
    },
    jwks: async (algorithm) => {
      if (!isAsymmetric(algorithm)) return { keys: [] };
      return { keys: [await publicKeyOf(await privateKey(algorithm), algorithm)] };
    },
  };
}
