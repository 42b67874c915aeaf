import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { signatureHeaders, signatureScheme } from "../../src/webhook/rules/signature.ts";

const secret = "app-sécret/🔑";
const now = 1_800_000_000;
const encodings = ["hex", "base64", "base64url"] as const;

function headersOf(body: Uint8Array, chosen: Partial<Choices> = {}, key = secret): [string, string][] {
  const scheme = signatureScheme(readChoices({ ...defaultChoices, ...chosen }));
  return signatureHeaders(scheme, key, { body, now, id: "d1" });
}

const bodies: [string, Uint8Array][] = [
  ["nothing", Buffer.alloc(0)],
  ["plain JSON", Buffer.from('{"events":[]}')],
  ["é", Buffer.from('{"a":"é"}')],
  ["é, escaped", Buffer.from('{"a":"\\u00e9"}')],
  ["an emoji", Buffer.from('{"a":"👩‍👧"}')],
  ["a slash", Buffer.from('{"a":"https://example.com/"}')],
  ["a slash, escaped", Buffer.from('{"a":"https:\\/\\/example.com\\/"}')],
  ["U+2028", Buffer.from('{"a":"\u2028"}')],
  ["white space that a parser would lose", Buffer.from('{ "a" : 1 }\r\n')],
  ["bytes that are not UTF-8", Buffer.from([0xff, 0xc3, 0x28, 0x00, 0xed, 0xa0, 0x80])],
];

describe("a body with", () => {
  test.each(bodies)("%s is signed byte for byte", (_, body) => {
    const expected = createHmac("sha256", secret).update(body).digest("hex");
    expect(headersOf(body)).toEqual([["X-Platform-Signature", expected]]);
  });

  test("another spelling of the same JSON has another signature", () => {
    const signatures = bodies.map(([, body]) => headersOf(body)[0]?.[1]);
    expect(new Set(signatures).size).toBe(bodies.length);
  });
});

test("HMAC-SHA256 is that of RFC 4231, test case 2", () => {
  expect(headersOf(Buffer.from("what do ya want for nothing?"), {}, "Jefe")).toEqual([
    ["X-Platform-Signature", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  ]);
});

describe("choices", () => {
  const body = Buffer.from('{"a":"é/🔑"}');
  const digest = (encoding: (typeof encodings)[number], content: string | Uint8Array = body) =>
    createHmac("sha256", secret).update(content).digest(encoding);

  test.each(encodings)("webhook.signature.encoding %s", (encoding) => {
    const headers = headersOf(body, { "webhook.signature.encoding": encoding });
    expect(headers).toEqual([["X-Platform-Signature", digest(encoding)]]);
  });

  test("webhook.signature.prefix comes before the signature", () => {
    const headers = headersOf(body, { "webhook.signature.prefix": "sha256=", "webhook.signature.encoding": "base64" });
    expect(headers).toEqual([["X-Platform-Signature", `sha256=${digest("base64")}`]]);
  });

  test("webhook.signature.content timestamp.body signs the seconds too, and sends them", () => {
    const signed = Buffer.concat([Buffer.from("1800000000."), body]);
    expect(headersOf(body, { "webhook.signature.content": "timestamp.body" })).toEqual([
      ["X-Platform-Timestamp", "1800000000"],
      ["X-Platform-Signature", digest("hex", signed)],
    ]);
  });

  test("wire.headerPrefix names both headers", () => {
    const chosen = { "wire.headerPrefix": "X-Acme-", "webhook.signature.content": "timestamp.body" } as const;
    expect(headersOf(body, chosen).map(([name]) => name)).toEqual(["X-Acme-Timestamp", "X-Acme-Signature"]);
  });

  test.each(["body", "timestamp.body"] as const)("a signature of %s depends only on these choices", (content) => {
    const choices = readChoices({ ...defaultChoices, "webhook.signature.content": content });
    signatureScheme(choices);
    expect(choices.used()).toEqual([
      "webhook.signature.encoding",
      "webhook.signature.prefix",
      "webhook.signature.content",
      "wire.headerPrefix",
    ]);
  });
});

test("for any bytes, secret and encoding, it is what plain node:crypto computes", () => {
  const anyBytes = fc.uint8Array({ maxLength: 300 });
  const anySecret = fc.string({ unit: "binary", minLength: 1 });
  fc.assert(
    fc.property(anyBytes, anySecret, fc.constantFrom(...encodings), (body, key, encoding) => {
      const expected = createHmac("sha256", key).update(body).digest(encoding);
      const headers = headersOf(body, { "webhook.signature.encoding": encoding }, key);
      expect(headers).toEqual([["X-Platform-Signature", expected]]);
    }),
  );
});
