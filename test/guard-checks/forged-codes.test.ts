import { expect, test } from "vitest";
import type { RequestParts } from "../../src/checking/request-parts.ts";
import type { App } from "../../src/config/schema.ts";
import { codeOf } from "../../src/guard-checks/codes.ts";
import { forgedCodeTwins } from "../../src/guard-checks/forged-codes.ts";

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const HEADER = base64url({ alg: "ES256", kid: "1" });
const CLAIMS = { jti: "0123456789abcdef", user: 104, module: "terms" };
const UNISSUED = { ...CLAIMS, jti: "1234567890bcdefg" };
const JWT = `${HEADER}.${base64url(CLAIMS)}.c2lnbmF0dXJl`;

/** The code in place of this one, by the end of each twin's id; null: the twin has nothing to change. */
function forged(code: string): Record<string, string | null> {
  const request = { body: { json: { code } }, headers: [], token: null } as unknown as RequestParts;
  const entries = forgedCodeTwins.map((check) => {
    const twin = check.twin(request, {} as App, "");
    return [check.id.split(".").at(-1), twin === null ? null : codeOf(twin)];
  });
  return Object.fromEntries(entries);
}

test("a JWT is forged without a signature, with a weak one, and with other content", () => {
  const { "alg-none": none, "weak-secret": weak, "changed-inside": changed } = forged(JWT);
  expect(none).toBe(`${base64url({ alg: "none", kid: "1" })}.${base64url(UNISSUED)}.`);
  expect(weak?.startsWith(`${base64url({ alg: "HS256", kid: "1" })}.${base64url(UNISSUED)}.`)).toBe(true);
  expect(changed).toBe(`${HEADER}.${base64url(UNISSUED)}.c2lnbmF0dXJl`);
});

test.each([
  ["JSON alone", base64url(CLAIMS), base64url(UNISSUED)],
  ["JSON with a signature", `${base64url(CLAIMS)}.abcd`, `${base64url(UNISSUED)}.abcd`],
  ["random values in a list", base64url({ all: [CLAIMS.jti, "terms"] }), base64url({ all: [UNISSUED.jti, "terms"] })],
])("the content of %s is changed, and nothing else", (_, code, changed) => {
  expect(forged(code)).toEqual({ "alg-none": null, "weak-secret": null, "changed-inside": changed });
});

test.each([
  ["is random", "Zm9vYmFyMTIzNDU2Nzg5MA"],
  ["is a number", "123456"],
  [
    "has nothing random in it, and is spelled differently",
    Buffer.from('{ "user": 104, "m": "??>" }').toString("base64"),
  ],
])("a code that %s is left alone", (_, code) => {
  expect(forged(code)).toEqual({ "alg-none": null, "weak-secret": null, "changed-inside": null });
});
