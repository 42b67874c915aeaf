import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { tamperings } from "../../src/protocol/webhook.ts";
import { deliveryMaker } from "../../src/webhook/rules/delivery-request.ts";
import { respell, tamperedRequest, withProjectName } from "../../src/webhook/rules/tampering.ts";

const organization = { id: 7, domain: "acme", edition: "enterprise" } as const;
const now = 1_800_000_000;
const body = Buffer.from('{"events":[{"event":"project.translated","project":{"id":"501"}}]}');

function makers(chosen: Partial<Choices> = {}, gzip = false) {
  const choices = readChoices({ ...defaultChoices, ...chosen });
  const parts = { organization, module: "events", gzip };
  return {
    right: deliveryMaker({ ...parts, appSecret: "right" }, choices),
    wrong: deliveryMaker({ ...parts, appSecret: "wrong" }, choices),
  };
}

const signatureOf = (headers: readonly (readonly [string, string])[]) =>
  headers.find(([name]) => name === "X-Platform-Signature")?.[1];

describe("a tampered delivery differs from the right one in one property", () => {
  const right = makers().right.make(body, now, "id");

  test("body: one byte of a value, so that it is still JSON", () => {
    const { headers, body: changed } = tamperedRequest("body", makers(), { json: body, now, id: "id" });
    expect(headers).toEqual(right.headers);
    expect(Buffer.from(changed).toString()).toBe(body.toString().replace("501", "502"));
  });

  test("signature: one character, of the same alphabet", () => {
    const { headers, body: same } = tamperedRequest("signature", makers(), { json: body, now, id: "id" });
    expect(same).toEqual(right.body);
    expect(signatureOf(headers)).toMatch(/^[0-9a-f]{64}$/);
    const around = (all: typeof headers) => signatureOf(all)?.replace(/^(.{32})./, "$1?");
    expect(around(headers)).toBe(around(right.headers));
    expect(signatureOf(headers)).not.toBe(signatureOf(right.headers));
    const others = (all: typeof headers) => all.filter(([name]) => name !== "X-Platform-Signature");
    expect(others(headers)).toEqual(others(right.headers));
  });

  test("secret: the signature of another secret", () => {
    const { headers, body: same } = tamperedRequest("secret", makers(), { json: body, now, id: "id" });
    expect(same).toEqual(right.body);
    expect(signatureOf(headers)).toBe(createHmac("sha256", "wrong").update(body).digest("hex"));
  });

  test("header: no signature", () => {
    const { headers, body: same } = tamperedRequest("header", makers(), { json: body, now, id: "id" });
    expect(same).toEqual(right.body);
    expect(headers).toEqual(right.headers.filter(([name]) => name !== "X-Platform-Signature"));
  });
});

test("the prefix of a signature stays unchanged, whatever the encoding", () => {
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const chosen = makers({ "webhook.signature.prefix": "sha256=", "webhook.signature.encoding": encoding });
    // Many bodies, so that some signatures have a 0 there by themselves.
    for (let number = 0; number < 100; number += 1) {
      const numbered = Buffer.from(`{"events":[${number}]}`);
      const right = signatureOf(chosen.right.make(numbered, now, "id").headers) ?? "";
      const changed =
        signatureOf(tamperedRequest("signature", chosen, { json: numbered, now, id: "id" }).headers) ?? "";
      const middle = "sha256=".length + Math.floor((right.length - "sha256=".length) / 2);
      expect(changed).toBe(`${right.slice(0, middle)}${right[middle] === "0" ? "1" : "0"}${right.slice(middle + 1)}`);
    }
  }
});

test("a compressed body is changed before it is compressed", () => {
  const { body: sent, headers } = tamperedRequest("body", makers({}, true), { json: body, now, id: "id" });
  expect(gunzipSync(sent).toString()).toContain('"502"');
  expect(headers).toEqual(makers({}, true).right.make(body, now, "id").headers);
});

test.each([
  ['{"events":[{"event":"a.z","n":"z"}]}', '{"events":[{"event":"a.z","n":"a"}]}'],
  ['{"events":[{"event":"a.z"}]}', '{"events":[{"event":"a.z"}],"forged":true}'],
  ['{"events":[{"event":"e","t":"hello\\n","u":"ok"}]}', '{"events":[{"event":"e","t":"hello\\n","u":"ol"}]}'],
  ['{"events":[{"event":"e","t":"\\u001f"}]}', '{"events":[{"event":"e","t":"\\u001f"}],"forged":true}'],
  ['{"events":[{"event":"é","n":"9"}]}', '{"events":[{"event":"é","n":"8"}]}'],
  ['{"events":[{"event":"—"}]}', '{"events":[{"event":"—"}],"forged":true}'],
])("changes in %s", (json, changed) => {
  const { body: sent } = tamperedRequest("body", makers(), { json: Buffer.from(json), now, id: "id" });
  expect(Buffer.from(sent).toString()).toBe(changed);
});

test("no tampered delivery has a valid signature", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.constantFrom(...tamperings),
      (events, kind) => {
        const json = Buffer.from(JSON.stringify({ events: events.map((event) => ({ event: "e", ...event })) }));
        const { headers, body: sent } = tamperedRequest(kind, makers(), { json, now, id: "id" });
        expect(signatureOf(headers)).not.toBe(createHmac("sha256", "right").update(sent).digest("hex"));
        expect(() => JSON.parse(Buffer.from(sent).toString())).not.toThrow();
      },
    ),
  );
});

test("W2: another spelling is the same JSON, but not as any serializer writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const json = Buffer.from(JSON.stringify({ events: [{ event: "a/b", value }] }));
      const other = respell(json);
      expect(JSON.parse(other.toString())).toEqual(JSON.parse(json.toString()));
      expect(other.equals(json)).toBe(false);
      expect(other.toString()).toMatch(/^[\0-\x7f]*$/);
      expect(other.toString()).toContain('"a\\/b"');
    }),
  );
});

test("W2: the other spelling has spaces, escapes and zeros; integers and texts stay the same", () => {
  const json = '{"events":[{"event":"a:b/ü","n":[1,2.5,-1.5e-7],"t":"1.5: \\"x\\""}]}';
  expect(respell(Buffer.from(json)).toString()).toBe(
    '{"events": [{"event": "a:b\\/\\u00fc","n": [1,2.50,-1.50e-7],"t": "1.5: \\"x\\""}]}',
  );
});

test("W2: a project gets a name with letters beyond ASCII and Latin-1, and an ASCII one", () => {
  const nonAscii = withProjectName(body, "nonAscii") ?? Buffer.alloc(0);
  expect(JSON.parse(nonAscii.toString()).events[0].project).toEqual({ id: "501", name: expect.any(String) });
  expect(nonAscii.toString("latin1")).not.toBe(nonAscii.toString());
  expect(nonAscii.toString()).toMatch(/[\u0080-\u00ff].*[\u0100-\uffff]/u);
  expect(withProjectName(body, "ascii")?.toString()).toMatch(/^[\0-\x7f]*$/);
  expect(withProjectName(Buffer.from('{"events":[{"event":"e"}]}'), "ascii")).toBeNull();
});

test("W2: only the first event with a project is changed", () => {
  const events = [
    { event: "e", project: null },
    { event: "e", project: { id: "1" } },
    { event: "e", project: { id: "2" } },
  ];
  const named = withProjectName(Buffer.from(JSON.stringify({ events })), "ascii") ?? Buffer.alloc(0);
  const [empty, first, second] = JSON.parse(named.toString()).events;
  expect([empty, second]).toEqual([events[0], events[2]]);
  expect(first.project).toEqual({ id: "1", name: expect.any(String) });
});
