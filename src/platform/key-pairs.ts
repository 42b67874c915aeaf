import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";

/** Keeps private keys between runs, by name. */
export interface KeyStore {
  load(name: string): Promise<JWK | null>;
  save(name: string, privateKey: JWK): Promise<void>;
}

export async function loadOrMakeKey(name: string, algorithm: string, store: KeyStore | null): Promise<JWK> {
  const kept = await store?.load(name);
  if (isPrivateKey(kept)) return kept;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const made = await exportJWK(privateKey);
  await store?.save(name, made);
  const first = await store?.load(name);
  return isPrivateKey(first) ? first : made;
}

/** Only the public key (RFC 7517, section 4), with its members of RFC 7518 6.2.1, 6.3.1 and RFC 8037 2. */
export async function publicKeyOf(privateKey: JWK, algorithm: string): Promise<JWK> {
  const { kty, crv, x, y, n, e } = privateKey;
  const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(members), kid: await keyId(privateKey), alg: algorithm, use: "sig" };
}

/** The thumbprint (RFC 7638): different keys never share an id, whatever an app has cached. */
export function keyId(key: JWK): Promise<string> {
  return calculateJwkThumbprint(key);
}

/** Whether a value is a private key as a JWK (RFC 7517). */
export function isPrivateKey(key: unknown): key is JWK {
  const { kty, d } = (key ?? {}) as { readonly kty?: unknown; readonly d?: unknown };
  return typeof kty === "string" && typeof d === "string";
}
