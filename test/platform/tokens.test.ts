import { createHash, createPublicKey, verify } from "node:crypto";
import type { JWK } from "jose";
import jwt from "jsonwebtoken";
import { describe, expect, test } from "vitest";
import { type Choices, choiceDefinitions, defaultChoices, readChoices } from "../../src/config/choices.ts";
import type { App } from "../../src/config/schema.ts";
import type { KeyStore } from "../../src/platform/key-pairs.ts";
import { createTokenSigner, isAsymmetric, type TokenSigner } from "../../src/platform/tokens.ts";

type Algorithm = Choices["guard.jwt.algorithm"];

const app: App = {
  url: "http://127.0.0.1:3000",
  clientId: "client-1",
  clientSecret: "the client's secret, é",
  appSecret: "the app's secret",
  appId: "app-1",
  redirectUris: [],
  scopes: [],
  postImportUsers: [],
  fileOrigins: [],
};
const now = 1_800_000_000;
const claims = { aud: "client-1", sub: "104", context: { user_login: "Олена" }, iat: now, exp: now + 900 };

const hmacAlgorithms = ["HS256", "HS384", "HS512"] as const;
const keyPairAlgorithms = ["RS256", "ES256", "EdDSA"] as const;

const choosing = (chosen: Partial<Choices>) => readChoices({ ...defaultChoices, ...chosen });

function signWith(signer: TokenSigner, algorithm: Algorithm, chosen: Partial<Choices> = {}): Promise<string> {
  return signer.sign(claims, app, choosing({ ...chosen, "guard.jwt.algorithm": algorithm }));
}

function headerOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8"));
}

/** The platform's public key, by way of what an app can read: the JWK Set. */
async function publicKeyOf(signer: TokenSigner, algorithm: Algorithm) {
  const { keys } = await signer.jwks(algorithm);
  expect(keys).toHaveLength(1);
  return createPublicKey({ key: { ...keys[0] }, format: "jwk" });
}

/** Verified by libraries that have nothing to do with the one that signs; jsonwebtoken does not know EdDSA. */
function verifyIndependently(token: string, algorithm: Algorithm, key: jwt.Secret | jwt.PublicKey): unknown {
  if (algorithm !== "EdDSA") return jwt.verify(token, key, { algorithms: [algorithm], clockTimestamp: now });
  const [header, payload, signature = ""] = token.split(".");
  if (!verify(null, Buffer.from(`${header}.${payload}`), key as jwt.PublicKey, Buffer.from(signature, "base64url"))) {
    throw new Error("invalid signature");
  }
  return JSON.parse(Buffer.from(payload ?? "", "base64url").toString("utf8"));
}

test("the tests below cover every algorithm of the choice, HS256 first", () => {
  const { alternatives, default: first } = choiceDefinitions["guard.jwt.algorithm"];
  expect([...hmacAlgorithms, ...keyPairAlgorithms]).toEqual([first, ...alternatives.split(", ")]);
  expect(hmacAlgorithms.some(isAsymmetric)).toBe(false);
  expect(keyPairAlgorithms.every(isAsymmetric)).toBe(true);
});

test("by default a token is HS256 with the client secret", async () => {
  const token = await createTokenSigner(null).sign(claims, app, readChoices(defaultChoices));
  expect(jwt.verify(token, app.clientSecret, { algorithms: ["HS256"], clockTimestamp: now })).toEqual(claims);
});

describe.each(hmacAlgorithms)("%s", (algorithm) => {
  test.each([
    ["client-secret", app.clientSecret, app.appSecret],
    ["app-secret", app.appSecret, app.clientSecret],
  ] as const)("keyed with the %s, and with nothing else", async (key, secret, otherSecret) => {
    const token = await signWith(createTokenSigner(null), algorithm, { "guard.jwt.key": key });
    expect(headerOf(token)).toEqual({ alg: algorithm, typ: "JWT" });
    expect(verifyIndependently(token, algorithm, secret)).toEqual(claims);
    for (const wrong of [otherSecret, `${secret}x`, "x"]) {
      expect(() => verifyIndependently(token, algorithm, wrong)).toThrow("invalid signature");
    }
  });

  test("publishes no key", async () => {
    expect(await createTokenSigner(null).jwks(algorithm)).toEqual({ keys: [] });
  });

  test("relies on the choices of algorithm and key", async () => {
    const choices = choosing({ "guard.jwt.algorithm": algorithm });
    await createTokenSigner(null).sign(claims, app, choices);
    expect(choices.used()).toEqual(["guard.jwt.algorithm", "guard.jwt.key"]);
  });
});

describe.each(keyPairAlgorithms)("%s", (algorithm) => {
  const signer = createTokenSigner(null);

  test("verifies with the published key, and names it", async () => {
    const token = await signWith(signer, algorithm);
    expect(verifyIndependently(token, algorithm, await publicKeyOf(signer, algorithm))).toEqual(claims);
    const { keys } = await signer.jwks(algorithm);
    expect(keys[0]).toMatchObject({ kid: expect.stringMatching(/./), alg: algorithm, use: "sig" });
    expect(headerOf(token)).toEqual({ alg: algorithm, typ: "JWT", kid: keys[0]?.kid });
  });

  test("names the key by its thumbprint (RFC 7638)", async () => {
    const { keys } = await signer.jwks(algorithm);
    const { alg, kid, use, ...key } = keys[0] ?? {};
    const canonical = JSON.stringify(key, Object.keys(key).sort());
    expect(kid).toBe(createHash("sha256").update(canonical).digest("base64url"));
  });

  test("is read from the store first, and written to it once it is created", async () => {
    const kept = new Map<string, JWK>();
    const asked: string[] = [];
    const store: KeyStore = {
      load: async (name) => {
        asked.push(`load ${name}`);
        return kept.get(name) ?? null;
      },
      save: async (name, key) => {
        asked.push(`save ${name}`);
        kept.set(name, key);
      },
    };
    const first = await createTokenSigner(store).jwks(algorithm);
    expect(asked).toEqual(["load", "save", "load"].map((what) => `${what} ${algorithm}`));
    const next = createTokenSigner(store);
    expect(await next.jwks(algorithm)).toEqual(first);
    const token = await signWith(next, algorithm);
    expect(verifyIndependently(token, algorithm, await publicKeyOf(next, algorithm))).toEqual(claims);
    expect(asked).toHaveLength(4);
  });

  test("is that of the run that stored its own first", async () => {
    const quicker = new Map<string, JWK>();
    const other = await createTokenSigner({
      load: async () => null,
      save: async (name, key) => void quicker.set(name, key),
    }).jwks(algorithm);
    let loads = 0;
    const store: KeyStore = {
      load: async (name) => (loads++ === 0 ? null : (quicker.get(name) ?? null)),
      save: async () => {},
    };
    expect(await createTokenSigner(store).jwks(algorithm)).toEqual(other);
  });

  test("publishes no private member of the key (RFC 7518 6)", async () => {
    const publicMembers = { RS256: ["e", "kty", "n"], ES256: ["crv", "kty", "x", "y"], EdDSA: ["crv", "kty", "x"] };
    const { keys } = await signer.jwks(algorithm);
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual([...publicMembers[algorithm], "alg", "kid", "use"].sort());
  });

  test("does not verify with another platform's key, or after a change", async () => {
    const token = await signWith(signer, algorithm);
    const otherKey = await publicKeyOf(createTokenSigner(null), algorithm);
    expect(() => verifyIndependently(token, algorithm, otherKey)).toThrow("invalid signature");
    const [header, , signature] = token.split(".");
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: "1" })).toString("base64url");
    const key = await publicKeyOf(signer, algorithm);
    expect(() => verifyIndependently(`${header}.${payload}.${signature}`, algorithm, key)).toThrow("invalid signature");
  });

  test("has one key pair per platform, even if two requests first need it at the same time", async () => {
    const fresh = createTokenSigner(null);
    const [first, second, published] = await Promise.all([
      signWith(fresh, algorithm),
      signWith(fresh, algorithm),
      fresh.jwks(algorithm),
    ]);
    const key = await publicKeyOf(fresh, algorithm);
    expect(verifyIndependently(first, algorithm, key)).toEqual(claims);
    expect(verifyIndependently(second, algorithm, key)).toEqual(claims);
    expect(await fresh.jwks(algorithm)).toEqual(published);
  });

  test("relies only on the choice of the algorithm", async () => {
    const choices = choosing({ "guard.jwt.algorithm": algorithm, "guard.jwt.key": "app-secret" });
    await signer.sign(claims, app, choices);
    expect(choices.used()).toEqual(["guard.jwt.algorithm"]);
  });
});
