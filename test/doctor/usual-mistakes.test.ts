import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { RequestParts, TokenParts } from "../../src/checking/request-parts.ts";
import type { App } from "../../src/config/schema.ts";
import { usualMistakes } from "../../src/doctor/rules/usual-mistakes.ts";

const SECRET = "c2VzYW1l";
const app = { clientId: "client", clientSecret: SECRET, appSecret: "app-secret", url: "http://127.0.0.1:3000" } as App;
const claims = {
  aud: "client",
  sub: "12",
  iat: 1000,
  exp: 1060,
  module: "office",
  context: { organization_id: 7, user_id: 12 },
};
const keyOf = (secret: string) => createSecretKey(secret, "utf8");
const token: TokenParts = { header: { alg: "HS256" }, claims, key: keyOf(SECRET) };
const right: RequestParts = {
  method: "POST",
  url: "http://127.0.0.1:3000/guard",
  headers: [["Content-Type", "application/json"]],
  body: { json: { userId: 12, ipAddress: "::1" } },
  token,
  tokenIn: { scheme: "Bearer" },
};

/** The call that an app with this mistake accepts. */
function callWith(takes: string, parts: RequestParts = right, of: App = app): RequestParts | null {
  const found = usualMistakes(of, "http://127.0.0.1:7410").find((mistake) => mistake.takes === takes);
  return found === undefined ? expect.fail(`there is no mistake "${takes}"`) : found.call(parts);
}

const withClaims = (changes: object): RequestParts => ({
  ...right,
  token: { ...token, claims: { ...claims, ...changes } },
});

describe("a call that an app accepts by mistake", () => {
  test.each([
    ["the JWT is signed with the app secret", "app-secret"],
    ["the JWT is signed with the client id", "client"],
    ["the secret is decoded from base64", "sesame"],
    ["the secret is followed by a line ending (\\n)", `${SECRET}\n`],
    ["the secret is followed by a Windows line ending (\\r\\n)", `${SECRET}\r\n`],
    ["the secret is followed by a space", `${SECRET} `],
    ["the secret is in double quotes", `"${SECRET}"`],
    ["the secret is in single quotes", `'${SECRET}'`],
    ["the secret is the word undefined", "undefined"],
    ["the secret is the word null", "null"],
    ["the secret is the word None", "None"],
  ])("%s", (takes, secret) => {
    expect(callWith(takes)?.token?.key?.export().toString()).toBe(secret);
  });

  test("the secret is decoded from hex", () => {
    const hex = { ...right, token: { ...token, key: keyOf("736573616d65") } };
    expect(callWith("the secret is decoded from hex", hex)?.token?.key?.export().toString()).toBe("sesame");
  });

  test.each<[string, object]>([
    ["exp is a day later", { exp: 1060 + 86_400 }],
    ["iat is a day earlier", { iat: 1000 - 86_400 }],
    ["exp and iat are in milliseconds", { iat: 1_000_000, exp: 1_060_000 }],
    ["sub is a number", { sub: 12 }],
    ["the JWT has no aud", { aud: undefined }],
    ["aud is the app's address", { aud: "http://127.0.0.1:3000" }],
    ["aud is the app's address with a slash at the end", { aud: "http://127.0.0.1:3000/" }],
    ["aud is the module's key", { aud: "office" }],
    ["aud is the platform's address", { aud: "http://127.0.0.1:7410" }],
    ["iss is the platform's address", { iss: "http://127.0.0.1:7410" }],
    ["the JWT has the claim organizationId", { organizationId: 7 }],
    ["the JWT has the claim organization_id", { organization_id: 7 }],
    ["the JWT has the claim userId", { userId: 12 }],
    ["the JWT has the claim user_id", { user_id: 12 }],
    ["the JWT has the claim moduleKey", { moduleKey: "office" }],
  ])("%s", (takes, changes) => {
    expect(callWith(takes)?.token?.claims).toEqual({ ...claims, ...changes });
  });

  test.each([
    ["the Authorization header contains only the JWT", { scheme: "" }],
    ["the JWT is in the query string, as jwtToken", { query: "jwtToken" }],
    ["the JWT is in the query string, as token", { query: "token" }],
  ])("%s", (takes, tokenIn) => {
    expect(callWith(takes)).toEqual({ ...right, tokenIn });
  });

  test("its body is a form", () => {
    const call = callWith("its body is a form");
    expect(call?.headers).toEqual([["Content-Type", "application/x-www-form-urlencoded"]]);
    expect(call?.body).toEqual({ bytes: Buffer.from("userId=12&ipAddress=%3A%3A1") });
  });
});

describe("a mistake that a call cannot reveal", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

  test.each<[string, string, RequestParts]>([
    [
      "another secret, by a key pair",
      "the JWT is signed with the app secret",
      { ...right, token: { ...token, key: privateKey } },
    ],
    [
      "another secret, without a key",
      "the JWT is signed with the app secret",
      { ...right, token: { ...token, key: null } },
    ],
    ["another secret, without a token", "the JWT is signed with the app secret", { ...right, token: null }],
    ["the right secret", "the JWT is signed with the client secret", right],
    ["an empty secret", "the secret is decoded from hex", { ...right, token: { ...token, key: keyOf("sesame") } }],
    ["a later exp, without exp", "exp is a day later", withClaims({ exp: undefined })],
    ["milliseconds without exp", "exp and iat are in milliseconds", withClaims({ exp: undefined })],
    ["milliseconds without iat", "exp and iat are in milliseconds", withClaims({ iat: "1000" })],
    ["milliseconds without a token", "exp and iat are in milliseconds", { ...right, token: null }],
    ["a sub that is a number already", "sub is a number", withClaims({ sub: 12 })],
    ["a missing aud, without aud", "the JWT has no aud", withClaims({ aud: undefined })],
    ["another aud, without aud", "aud is the app's address", withClaims({ aud: undefined })],
    ["an aud, without a token", "aud is the module's key", { ...right, token: null }],
    ["an issuer, with iss", "iss is the platform's address", withClaims({ iss: "http://platform.test" })],
    ["a claim, without its value", "the JWT has the claim userId", withClaims({ context: undefined })],
    ["a sub, without a token", "sub is a number", { ...right, token: null }],
    ["a missing aud, without a token", "the JWT has no aud", { ...right, token: null }],
    ["an issuer, without a token", "iss is the platform's address", { ...right, token: null }],
    ["a claim, without a token", "the JWT has the claim userId", { ...right, token: null }],
    ["a form, without a body", "its body is a form", { ...right, body: null }],
    ["a form, with bytes", "its body is a form", { ...right, body: { bytes: Buffer.from("{}") } }],
  ])("%s", (_, takes, parts) => {
    expect(callWith(takes, parts)).toBeNull();
  });
});

test("no two mistakes are the same call, and each has a fix", () => {
  const mistakes = usualMistakes(app, "http://127.0.0.1:7410");
  expect(new Set(mistakes.map(({ takes }) => takes)).size).toBe(mistakes.length);
  expect(mistakes.every(({ fix }) => fix.length > 0)).toBe(true);
});
