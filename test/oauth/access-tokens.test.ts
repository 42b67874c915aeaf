import type { JWK } from "jose";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { defaultChoices, readChoices } from "../../src/config/choices.ts";
import { createAccessTokens } from "../../src/oauth/endpoints/access-tokens.ts";
import type { KeyStore } from "../../src/platform/key-pairs.ts";
import { createTokenSigner } from "../../src/platform/tokens.ts";
import { garden } from "../rig/oauth.ts";

const now = 1_800_000_000;
const claims = {
  iss: "http://p",
  aud: "c",
  sub: "104",
  domain: "acme",
  scope: "project",
  jti: "j",
  iat: now,
  exp: now + 60,
};
const millis = (seconds: number) => seconds * 1000;

function storeOf(kept: Map<string, JWK>): KeyStore {
  return { load: async (name) => kept.get(name) ?? null, save: async (name, key) => void kept.set(name, key) };
}

describe("an access token", () => {
  const tokens = createAccessTokens(null);

  it("is accepted by the platform that signed it, until it expires", async () => {
    const token = await tokens.sign(claims);
    expect(await tokens.read(token, millis(now + 60) - 1)).toEqual({ claims, isExpired: false });
    expect(await tokens.read(token, millis(now + 60))).toEqual({ claims, isExpired: true });
    expect(await tokens.read(token, millis(now + 86_400))).toEqual({ claims, isExpired: true });
  });

  it("is not read by another platform", async () => {
    expect(await createAccessTokens(null).read(await tokens.sign(claims), millis(now))).toBeNull();
  });

  it("has its own type: a guard's token from the same key store is refused", async () => {
    const store = storeOf(new Map());
    const own = createAccessTokens(store);
    const signer = createTokenSigner(store);
    const choices = readChoices({ ...defaultChoices, "guard.jwt.algorithm": "ES256" });
    const app = { url: "http://a", ...garden };
    const guards = await signer.sign({ ...claims }, app, choices);
    expect(jwt.decode(guards, { complete: true })?.header.alg).toBe("ES256");
    expect(await own.read(guards, millis(now))).toBeNull();
    const [{ kid } = {}] = (await signer.jwks("ES256")).keys;
    expect((await own.publicKey()).kid).not.toBe(kid);
  });

  it.each<[string, Record<string, unknown>]>([
    ["exp", { ...claims, exp: undefined }],
    ["jti", { ...claims, jti: undefined }],
  ])("without %s is refused", async (_, some) => {
    const left = Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined));
    expect(await tokens.read(await tokens.sign(left), millis(now))).toBeNull();
  });

  it.each(["", "x", "..", "a.b.c", "é.é.é", "eyJhbGciOiJub25lIn0..", "\u0000", "a".repeat(100_000)])(
    "%# is none",
    async (text) => {
      expect(await tokens.read(text, millis(now))).toBeNull();
    },
  );

  it("is signed by a stored key, whose public part is published", async () => {
    const kept = new Map<string, JWK>();
    const first = createAccessTokens(storeOf(kept));
    const token = await first.sign(claims);
    expect([...kept.keys()]).toEqual(["access-ES256"]);
    expect(await createAccessTokens(storeOf(kept)).read(token, millis(now))).toEqual({ claims, isExpired: false });
    expect(Object.keys(await first.publicKey()).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });
});
