import { type CryptoKey, errors, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { type KeyStore, keyId, loadOrMakeKey, publicKeyOf } from "../../platform/key-pairs.ts";

/** ES256 with a separate key: an app that could sign with it could mint access tokens. */
const ALGORITHM = "ES256";
const KEY_NAME = "access-ES256";
/** RFC 9068, section 2.1: no other kind of token is mistaken for an access token. */
const TYPE = "at+jwt";

/** The claims of an access token (choice `oauth.accessToken`); times are seconds since the epoch. */
export interface AccessTokenClaims {
  /** {auth_url}. */
  readonly iss: string;
  readonly aud: string;
  /** The same client id, in the claim of RFC 9068. */
  readonly client_id: string;
  /** Id of the user on whose behalf the app acts. */
  readonly sub: string;
  readonly domain: string | null;
  /** Separated by spaces. */
  readonly scope: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

interface SignedToken {
  readonly claims: AccessTokenClaims;
  readonly isExpired: boolean;
}

export interface AccessTokens {
  /** Signs a compact JWT; a test may have changed the claims, so their types are not enforced. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * The claims of a token from `sign`; null for any other text.
   * @param now milliseconds since the epoch
   */
  read(token: string, now: number): Promise<SignedToken | null>;
  /** The public key, for a JWK Set (RFC 7517). */
  publicKey(): Promise<JWK>;
}

/** Signs and reads access tokens; makes the key pair when it is first needed. */
export function createAccessTokens(store: KeyStore | null): AccessTokens {
  let made: Promise<KeyPair> | null = null;
  const keyPair = () => {
    made ??= loadKeyPair(store);
    return made;
  };
  return {
    sign: async (claims) => {
      const { kid, privateKey } = await keyPair();
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid }).sign(privateKey);
    },
    read: async (token, now) => {
      const { publicKey } = await keyPair();
      try {
        const rules = {
          algorithms: [ALGORITHM],
          typ: TYPE,
          currentDate: new Date(now),
          requiredClaims: ["exp", "jti"],
        };
        const { payload } = await jwtVerify<AccessTokenClaims>(token, publicKey, rules);
        return { claims: payload, isExpired: false };
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
        // Its signature is verified before its claims are.
        return error instanceof errors.JWTExpired
          ? { claims: error.payload as unknown as AccessTokenClaims, isExpired: true }
          : null;
      }
    },
    publicKey: async () => (await keyPair()).published,
  };
}

interface KeyPair {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly published: JWK;
}

async function loadKeyPair(store: KeyStore | null): Promise<KeyPair> {
  const key = await loadOrMakeKey(KEY_NAME, ALGORITHM, store);
  const published = await publicKeyOf(key, ALGORITHM);
  return {
    kid: await keyId(key),
    privateKey: (await importJWK(key, ALGORITHM)) as CryptoKey,
    publicKey: (await importJWK(published, ALGORITHM)) as CryptoKey,
    published,
  };
}
