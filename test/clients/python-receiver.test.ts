import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSimulator, startSimulator } from "../../src/index.ts";
import { bodyBytes } from "../../src/journal/journal.ts";
import { tamperings } from "../../src/protocol/webhook.ts";
import { manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { hasPython, type PythonReceiver, type ReceiverScheme, startPythonReceiver } from "../rig/python-receiver.ts";
import { exchangesOf } from "../rig/simulation.ts";

const secret = "a secret: é, 日本, 'quotes'";
const manifest = manifestOf({ webhooks: [webhookEntry("events", ["project.translated", "glossary.changed"])] });

const awkward: Readonly<Record<string, string>> = {
  "an emoji of several code points": "👩‍💻🏳️‍🌈",
  "four bytes": "𝔘𠜎",
  "line and paragraph separators": "a\u2028b\u2029c",
  "a lone high surrogate": "a\ud800b",
  "a lone low surrogate": "\udfff",
  "quotes and backslashes": '"\\" \' ` \\u0041',
  "NUL and other controls": "\u0000\u0001\u001f\u007f\u0085",
  "line breaks": "a\r\nb\nc\rd\te",
  "right to left": "שלום \u202eمرحبا\u202c",
  "a byte order mark": "\ufeffa\ufeff",
  "what is not composed": "é",
  "markup and slashes": "</script><!--&amp;-->a/b",
  "not a character": "\uffff\ufffe",
  long: "ж".repeat(20_000),
  none: "",
};

/** Text without the beginning of a template. */
const text = fc.string({ unit: "binary", maxLength: 60 }).filter((value) => !value.includes("{{"));
const payload = fc.dictionary(
  fc.string({ maxLength: 10 }).filter((key) => key !== "event" && key !== "__proto__" && !key.includes("{{")),
  fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null), fc.array(text)),
  { maxKeys: 5 },
);

interface Both extends AsyncDisposable {
  readonly receiver: PythonReceiver;
  readonly sim: RunningSimulator;
}

async function startBoth(choices: Readonly<Record<string, unknown>> = {}, scheme: ReceiverScheme = {}): Promise<Both> {
  const receiver = await startPythonReceiver(manifest, secret, scheme);
  const sim = await startSimulator({ app: { url: receiver.url, appSecret: secret }, choices });
  return {
    receiver,
    sim,
    async [Symbol.asyncDispose]() {
      await sim.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!hasPython)("a receiver in Python's standard library", () => {
  let both: Both;
  beforeAll(async () => {
    both = await startBoth();
  });
  afterAll(() => both[Symbol.asyncDispose]());

  async function deliver(data: unknown) {
    const result = await both.sim.webhook("glossary.changed", { data });
    const received = (await both.receiver.received()).at(-1);
    const sent = exchangesOf(both.sim, "webhook").at(-1)?.request.body;
    return { result, received, sent: sent && bodyBytes(sent) };
  }

  test.each(Object.entries(awkward))("2.6 accepts a body with %s, byte for byte", async (_, value) => {
    const data = { text: value, nested: { [value]: [value] } };
    const { result, received, sent } = await deliver(data);
    expect(result.outcome).toBe("acknowledged");
    expect(received).toMatchObject({ accepted: true, events: 1, path: "/events" });
    expect(received?.body.equals(sent ?? Buffer.alloc(0))).toBe(true);
    expect(JSON.parse(received?.body.toString() ?? "")).toEqual({ events: [{ event: "glossary.changed", ...data }] });
  });

  test("2.6 accepts bodies with any texts, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(payload, async (data) => {
        const { result, received, sent } = await deliver(data);
        expect(result.outcome).toBe("acknowledged");
        expect(received?.accepted).toBe(true);
        expect(received?.body.equals(sent ?? Buffer.alloc(0))).toBe(true);
        expect(JSON.parse(received?.body.toString() ?? "").events).toEqual([
          JSON.parse(JSON.stringify({ event: "glossary.changed", ...data })),
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test.each(tamperings)("W1 W2 refuses a delivery with a changed %s, and accepts the others", async (tamper) => {
    const before = (await both.receiver.received()).length;
    const result = await both.sim.webhook("project.translated", { tamper: [tamper] });
    expect(result.outcome).toBe("refused");
    const received = (await both.receiver.received()).slice(before);
    expect(received.length).toBe(result.deliveries.length);
    for (const [index, delivery] of result.deliveries.entries()) {
      expect(delivery.asExpected).toBe(true);
      expect(received[index]?.accepted).toBe(delivery.tampered === null);
    }
    expect(result.deliveries.filter(({ tampered }) => tampered === tamper)).toHaveLength(1);
  });

  test.each([
    { chunked: true, zipped: false },
    { chunked: false, zipped: true },
    { chunked: true, zipped: true },
  ])("2.6 accepts a delivery that is %o", async ({ chunked, zipped }) => {
    const options = { chunked, gzip: zipped, count: 50, data: { text: awkward["an emoji of several code points"] } };
    const result = await both.sim.webhook("glossary.changed", options);
    expect(result.outcome).toBe("acknowledged");
    expect((await both.receiver.received()).at(-1)).toMatchObject({ accepted: true, chunked, zipped, events: 50 });
  });

  test("6.1 accepts 500 events in ten bodies", async () => {
    const before = (await both.receiver.received()).length;
    const result = await both.sim.webhook("project.translated", { count: 500, batch: 50 });
    const received = (await both.receiver.received()).slice(before);
    expect(result.summary).toMatchObject({ deliveries: 10, events: 500, acknowledged: 10 });
    expect(received.map(({ accepted, events }) => ({ accepted, events }))).toEqual(
      Array.from({ length: 10 }, () => ({ accepted: true, events: 50 })),
    );
  });
});

describe.skipIf(!hasPython)("5.1 the ways to sign, in Python", () => {
  const encodings = ["hex", "base64", "base64url"] as const;
  const schemes = encodings.flatMap((encoding) =>
    (["body", "timestamp.body"] as const).flatMap((content) =>
      ["", "sha256="].map((prefix) => ({ encoding, content, prefix })),
    ),
  );

  test.each(schemes)("$encoding of $content with the prefix $prefix", async ({ encoding, content, prefix }) => {
    await using both = await startBoth(
      {
        "webhook.signature.encoding": encoding,
        "webhook.signature.content": content,
        "webhook.signature.prefix": prefix,
        "wire.headerPrefix": "X-Acme-",
      },
      {
        header: "X-Acme-Signature",
        encoding,
        prefix,
        timestampHeader: content === "body" ? null : "X-Acme-Timestamp",
      },
    );
    const data = { text: randomBytes(300).toString("base64") };
    const right = await both.sim.webhook("glossary.changed", { data, tamper: tamperings });
    expect(right.outcome).toBe("refused");
    const received = await both.receiver.received();
    expect(received.map(({ accepted }) => accepted)).toEqual(right.deliveries.map(({ tampered }) => tampered === null));
    expect(received.some(({ accepted }) => accepted)).toBe(true);
  });
});
