import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { configure } from "../../src/config/load.ts";
import { type DeliveryParts, deliveryMaker } from "../../src/webhook/rules/delivery-request.ts";
import { usageErrorOf } from "../rig/simulation.ts";

const organization = { id: 4711, domain: "example", edition: "enterprise" } as unknown as DeliveryParts["organization"];
const appSecret = "app-sécret/🔑";
const parts = { organization, appSecret, module: "translation-events" };
const now = 1_800_000_000;
const json = Buffer.from('{"events":[{"event":"é/\u2028👩‍👧"}]}');

const hmac = (bytes: Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex") =>
  createHmac("sha256", appSecret).update(bytes).digest(encoding);

function make(chosen: Partial<Choices> = {}, changes: Partial<DeliveryParts> = {}) {
  return deliveryMaker({ ...parts, ...changes }, readChoices({ ...defaultChoices, ...chosen })).make(json, now, "d1");
}

test("2.6 the header lines of the table, in one order, and the bytes as they are", () => {
  const { headers, body } = make();
  expect(headers).toEqual([
    ["User-Agent", "Platform-Webhook"],
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
    ["X-Platform-Id", "4711"],
    ["X-Platform-Domain", "example"],
    ["X-Module-Key", "translation-events"],
    ["X-Platform-Signature", hmac(json)],
  ]);
  expect(body).toBe(json);
});

test("the choice webhook.delivery.header names the header of the id", () => {
  expect(make({ "webhook.delivery.header": "X-Acme-Delivery" }).headers).toContainEqual(["X-Acme-Delivery", "d1"]);
  expect(make().headers.flat()).not.toContain("d1");
});

test("wire.headerPrefix and wire.userAgent: other names", () => {
  const { headers } = make({ "wire.headerPrefix": "X-Acme-", "wire.userAgent": "Acme/1" });
  expect(headers).toContainEqual(["User-Agent", "Acme/1"]);
  expect(headers.map(([name]) => name)).toEqual(
    expect.arrayContaining(["X-Acme-Id", "X-Acme-Domain", "X-Acme-Signature"]),
  );
  expect(headers.some(([name]) => name.startsWith("X-Platform"))).toBe(false);
});

describe("gzip", () => {
  test("compressed: the sent bytes are signed", () => {
    const { headers, body } = make({}, { gzip: true });
    expect(headers).toContainEqual(["Content-Encoding", "gzip"]);
    expect(gunzipSync(body)).toEqual(json);
    expect(headers).toContainEqual(["X-Platform-Signature", hmac(body)]);
  });

  test("uncompressed: the bytes before compression are signed", () => {
    const { headers, body } = make({ "webhook.signature.gzip": "uncompressed" }, { gzip: true });
    expect(gunzipSync(body)).toEqual(json);
    expect(headers).toContainEqual(["X-Platform-Signature", hmac(json)]);
  });

  test("without it nothing depends on the choice", () => {
    const choices = readChoices(defaultChoices);
    deliveryMaker(parts, choices).make(json, now, "d1");
    expect(choices.used()).not.toContain("webhook.signature.gzip");
  });
});

test("for any bytes and any scheme, every header occurs once, and the signature is that of plain node:crypto", () => {
  const chosen = fc.record({
    "webhook.signature.encoding": fc.constantFrom("hex", "base64", "base64url"),
    "webhook.signature.prefix": fc.constantFrom("", "sha256=", "v1,"),
    "webhook.signature.content": fc.constantFrom("body", "timestamp.body"),
    "wire.headerPrefix": fc.constantFrom("X-Platform-", "X-Acme-", "Acme"),
  }) as fc.Arbitrary<
    Pick<
      Choices,
      "webhook.signature.encoding" | "webhook.signature.prefix" | "webhook.signature.content" | "wire.headerPrefix"
    >
  >;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), chosen, (bytes, seconds, choices) => {
      const { headers, body } = deliveryMaker(parts, readChoices({ ...defaultChoices, ...choices })).make(
        bytes,
        seconds,
        "d",
      );
      const names = headers.map(([name]) => name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
      const isTimed = choices["webhook.signature.content"] === "timestamp.body";
      const signed = isTimed ? Buffer.concat([Buffer.from(`${seconds}.`), bytes]) : bytes;
      const prefix = choices["wire.headerPrefix"];
      const value = choices["webhook.signature.prefix"] + hmac(signed, choices["webhook.signature.encoding"]);
      expect(headers).toContainEqual([`${prefix}Signature`, value]);
      expect(headers.some(([name, at]) => name === `${prefix}Timestamp` && at === String(seconds))).toBe(isTimed);
      expect(body).toBe(bytes);
    }),
  );
});

test.each([
  ...["Content-Length", "transfer-encoding", "Host", "X-Module-Key", "User-Agent", "Content-Type", "connection"],
  ...["X-Platform-Signature", "x-platform-id", "X-Platform-Timestamp"],
])("webhook.delivery.header cannot be %s, which HTTP or every delivery has", async (name) => {
  const refused = configure({ choices: { "webhook.delivery.header": name } }, process.cwd());
  expect((await usageErrorOf(refused)).code).toBe("choice-invalid");
});
