import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import type { App } from "../config/schema.ts";
import type { ChoiceReader, Choices } from "../protocol/choices.ts";

type Algorithm = Choices["guard.jwt.algorithm"];
type AsymmetricAlgorithm = Exclude<Algorithm, `HS${string}`>;

/** Where private keys are kept from run to run, by the name of their algorithm. */
export interface KeyStore {
  load(algorithm: string): Promise<JWK | null>;
  save(algorithm: string, privateKey: JWK): Promise<void>;
}

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
export function createTokenSigner(store: KeyStore | null): TokenSigner {
  const privateKeys = new Map<AsymmetricAlgorithm, Promise<JWK>>();
  const privateKey = (algorithm: AsymmetricAlgorithm): Promise<JWK> => {
    const key = privateKeys.get(algorithm) ?? loadOrMake(algorithm, store);
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
      const key = await privateKey(algorithm);
      return { keys: [{ ...publicPart(key), kid: await keyId(key), alg: algorithm, use: "sig" }] };
    },
  };
}

async function loadOrMake(algorithm: AsymmetricAlgorithm, store: KeyStore | null): Promise<JWK> {
  const kept = await store?.load(algorithm);
  if (isPrivateKey(kept)) return kept;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const made = await exportJWK(privateKey);
  await store?.save(algorithm, made);
  const first = await store?.load(algorithm);
  return isPrivateKey(first) ? first : made;
}

/** A kept file may be anything by now. */
function isPrivateKey(key: JWK | null | undefined): key is JWK {
  return typeof key?.kty === "string" && typeof key.d === "string";
}

/** The thumbprint (RFC 7638): another key never has the same id, whatever an app has cached. */
function keyId(key: JWK): Promise<string> {
  return calculateJwkThumbprint(key);
}

/** The members of a public key alone (RFC 7518 6.2.1, 6.3.1; RFC 8037 2). */
function publicPart({ kty, crv, x, y, n, e }: JWK): JWK {
  return Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined));
}
