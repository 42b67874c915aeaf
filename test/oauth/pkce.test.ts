import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVerifierOf, malformation } from "../../src/oauth/rules/pkce.ts";

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe("a verifier and its challenge", () => {
  it("are those of RFC 7636 appendix B", () => {
    expect(isVerifierOf(verifier, { value: challenge, method: "S256" })).toBe(true);
    expect(isVerifierOf(challenge, { value: challenge, method: "S256" })).toBe(false);
    expect(isVerifierOf(verifier, { value: verifier, method: "S256" })).toBe(false);
  });

  it("are the same text by plain", () => {
    expect(isVerifierOf(verifier, { value: verifier, method: "plain" })).toBe(true);
    expect(isVerifierOf(verifier, { value: challenge, method: "plain" })).toBe(false);
  });

  it("match each other and nothing else", () => {
    const verifiers = fc.string({ unit: fc.constantFrom(..."AZaz09-._~"), minLength: 43, maxLength: 128 });
    const property = fc.property(verifiers, verifiers, (one, other) => {
      const value = createHash("sha256").update(one).digest("base64url");
      expect([malformation(one), malformation(value)]).toEqual([null, null]);
      expect(isVerifierOf(one, { value, method: "S256" })).toBe(true);
      expect(isVerifierOf(other, { value, method: "S256" })).toBe(one === other);
      expect(isVerifierOf(other, { value: one, method: "plain" })).toBe(one === other);
    });
    fc.assert(property);
  });
});

describe("A10: the grammar of both (RFC 7636 sections 4.1 and 4.2)", () => {
  it.each([
    ["43 characters", "a".repeat(43), true],
    ["128 characters", "a".repeat(128), true],
    ["every kind of character", "ABCXYZabcxyz0123456789-._~".repeat(2), true],
    ["42 characters", "a".repeat(42), false],
    ["129 characters", "a".repeat(129), false],
    ["a plus sign", `${"a".repeat(43)}+`, false],
    ["a slash", `${"a".repeat(43)}/`, false],
    ["padding", `${"a".repeat(43)}=`, false],
    ["a space", `${"a".repeat(43)} `, false],
    ["a new line at its end", `${"a".repeat(43)}\n`, false],
    ["a letter beyond ASCII", `${"a".repeat(43)}é`, false],
    ["nothing", "", false],
  ])("%s", (_, text, isGood) => {
    expect(malformation(text) === null).toBe(isGood);
  });

  it("is reported with what breaks it", () => {
    const allowed = "43 to 128 of the characters A-Z a-z 0-9 - . _ ~";
    expect(malformation("a".repeat(11))).toBe(`has a length of 11: it must be ${allowed}`);
    expect(malformation("\n".repeat(43))).toBe(`must be ${allowed}`);
    expect(malformation(`${"a".repeat(40)}/+=`)).toBe(
      `has / + =, like base64: it must be base64url without padding, ${allowed}`,
    );
  });
});
