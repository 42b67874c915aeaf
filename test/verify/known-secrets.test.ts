import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openlySigned, openSecretOf } from "../../src/checking/known-secrets.ts";

// Written by Flask, itsdangerous and cookie-signature with the secrets of their examples.
test.each([
  ["a session of Flask", "eyJ1c2VyX2lkIjoxMDF9.aw2Bow.pPFaR45RpGV4qDfIS9oWeAAZsNI", "dev"],
  ["a serializer of itsdangerous", "eyJ1IjoxMDEsIm0iOiJ0ZXJtcyJ9.aw2Bow.2l2XjkmRF_X0tJLApgRUyKGV4Wk", "secret"],
  ["a signer of itsdangerous", "101.vcstcQAlbJxJCWL5PxPLo0xL9gI", "secret"],
  ["a session id of Express", "s:tF2b1mXc0Qw9Zr.EY6X0s45vTIpci0r9hU6pJmCuWuYrD+si8z8g3uWzRY", "keyboard cat"],
])("the secret of %s is found, and signs something else", (_, value, secret) => {
  const signed = openlySigned(value);
  expect(signed?.secret).toBe(secret);
  expect(signed?.withContent(signed.content)).toBe(value);
  const other = signed?.withContent(`${signed.content}x`) ?? "";
  expect(openlySigned(other)).toMatchObject({ content: `${signed?.content}x`, secret });
});

test.each(["md5", "sha1", "sha256", "sha512"])("signatures by %s are found in each spelling", (algorithm) => {
  for (const [separator, encoding] of [
    ["--", "hex"],
    [":", "base64"],
    ["|", "base64url"],
  ] as const) {
    const signature = createHmac(algorithm, "client-1").update("101").digest(encoding);
    const spellings = encoding === "hex" ? [signature, signature.toUpperCase()] : [signature];
    for (const spelling of spellings) {
      const value = `101${separator}${spelling}`;
      expect(openlySigned(value)).toBeNull();
      expect(openlySigned(value, ["client-1"])?.withContent("101")).toBe(value);
    }
  }
});

test.each([
  ["data", { user: 101 }, "secret"],
  ["a key alone", { sid: "k3v9x2m8q1w7" }, null],
  ["a key and a time", { sid: "k3v9x2m8q1w7", at: 1_764_500_000, permanent: true }, null],
])("a cookie with %s, signed openly", (_, content, expected) => {
  const text = Buffer.from(JSON.stringify(content)).toString("base64url");
  const value = `${text}.${createHmac("sha256", "secret").update(text).digest("base64url")}`;
  expect(openSecretOf(value, [])).toBe(expected);
});

test.each([
  ["is random", randomBytes(32).toString("base64url")],
  ["is two random parts", `${randomBytes(16).toString("hex")}.${randomBytes(32).toString("hex")}`],
  ["is signed with a random secret", `101.${createHmac("sha256", randomBytes(32)).update("101").digest("hex")}`],
  ["is empty", ""],
])("a text that %s has no known secret", (_, value) => {
  expect(openlySigned(value)).toBeNull();
});
