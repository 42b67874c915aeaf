import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { tamperings } from "../../src/protocol/webhook.ts";
import type { WebhookOptions } from "../../src/webhook/webhook-options.ts";
import { type AppCall, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { assemble, startSimulation, usageErrorOf } from "../rig/simulation.ts";

// What goes wrong on the way: duplicates, another order, delays, losses, forged deliveries.

const oneWebhook = manifestOf({ webhooks: [webhookEntry("events")] });
const acknowledges = (call: AppCall) => call.send("", { status: 204 });

function signatureOf(call: AppCall): string {
  return createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
}

/** An app that checks every signature, as it should. */
function verifies(call: AppCall): void {
  call.send("", { status: call.header("x-platform-signature") === signatureOf(call) ? 204 : 401 });
}

async function delivered(answer: (call: AppCall) => void, options: WebhookOptions, choices = {}) {
  await using run = await startSimulation({ serves: oneWebhook, answer, choices });
  const result = await run.sim.webhook("project.translated", options);
  return { result, calls: run.app.calls };
}

const bodiesOf = (calls: readonly AppCall[]) => calls.map(({ body }) => body.toString());

describe("batches", () => {
  it("hold at most that many events, in order", async () => {
    const { result, calls } = await delivered(acknowledges, { count: 7, batch: 3 });
    expect(result.deliveries.map(({ events, bytes }) => [events, bytes])).toEqual(
      calls.map((call) => [(call.json() as { events: unknown[] }).events.length, call.body.length]),
    );
    expect(result.deliveries.map(({ events }) => events)).toEqual([3, 3, 1]);
    expect(result.summary).toMatchObject({ deliveries: 3, events: 7, acknowledged: 3, attempts: 3 });
  });

  it("are as large as the choices say, unless an option overrides them", async () => {
    const { result } = await delivered(acknowledges, { count: 7 }, { "webhook.batch.events": 5 });
    expect(result.deliveries.map(({ events }) => events)).toEqual([5, 2]);
    const small = await delivered(acknowledges, { count: 50 }, { "webhook.batch.bytes": 1024 });
    expect(small.result.deliveries.every(({ bytes }) => bytes <= 1024)).toBe(true);
    expect(small.result.summary.events).toBe(50);
  });

  it("with an event larger than the limit are refused, and nothing is sent", async () => {
    await using run = await startSimulation({
      serves: oneWebhook,
      answer: acknowledges,
      choices: { "webhook.batch.bytes": 1024 },
    });
    const set = [`project.id=${"9".repeat(1100)}`];
    const error = await usageErrorOf(run.sim.webhook("project.translated", { set }));
    expect(error).toMatchObject({ code: "event-too-large", hint: expect.stringContaining("webhook.batch.bytes") });
    expect(run.app.calls).toEqual([]);
  });
});

describe("duplicates", () => {
  it("are the same delivery, byte for byte, with the same id", async () => {
    const { result, calls } = await delivered(acknowledges, { duplicate: 2 }, { "webhook.delivery.header": "X-Id" });
    expect(new Set(bodiesOf(calls)).size).toBe(1);
    expect(calls.map((call) => call.header("x-id"))).toEqual(result.deliveries.map(({ id }) => id));
    expect(new Set(result.deliveries.map(({ id }) => id)).size).toBe(1);
    expect(result.deliveries.map(({ copy }) => copy)).toEqual([0, 1, 2]);
  });
});

it("an app that refuses what it accepted before is named in the reason", async () => {
  const seen = new Set<string>();
  const once = (call: AppCall) => {
    call.send("", { status: seen.has(call.body.toString()) ? 409 : 204 });
    seen.add(call.body.toString());
  };
  const { result } = await delivered(once, { duplicate: 1 });
  expect(result).toMatchObject({
    outcome: "failed",
    reason: "the app refuses a delivery that it acknowledged before: the app answered 409",
    hint: expect.stringContaining("deliver twice"),
  });
});

describe("what to try", () => {
  const hintAfter = async (answer: (call: AppCall) => void, options: WebhookOptions, choices = {}) =>
    (await delivered(answer, options, choices)).result.hint;
  const with400 = (call: AppCall) => call.send("", { status: 400 });

  it("names the transfer of the body, the time limit, or the retries, if these may be the reason", async () => {
    expect(await hintAfter(with400, { gzip: true })).toMatch(/compressed with gzip/);
    expect(await hintAfter(with400, { chunked: true })).toMatch(/without a Content-Length/);
    expect(await hintAfter((call) => call.send("", { status: 429 }), {})).toMatch(/webhook\.retries/);
    expect(await hintAfter((call) => call.hang(), {}, { "webhook.timeout": 100 })).toMatch(/webhook\.timeout/);
  });
});

it("an app may refuse bodies in gzip, or without a length; another status refuses the delivery", async () => {
  const cases: [WebhookOptions, number, string][] = [
    [{ gzip: true }, 415, "refused"],
    [{ chunked: true }, 411, "refused"],
    [{}, 415, "failed"],
    [{ gzip: true }, 401, "failed"],
  ];
  for (const [options, status, outcome] of cases) {
    const { result } = await delivered((call) => call.send("", { status }), options);
    expect([options, status, result.outcome]).toEqual([options, status, outcome]);
  }
  const { result } = await delivered((call) => call.send("", { status: 415 }), { gzip: true });
  expect(result).toMatchObject({
    reason: "the app does not accept gzip-compressed bodies (415), which is allowed",
    failure: null,
  });
});

it("an app that postpones a copy is not accused of refusing it", async () => {
  let calls = 0;
  const limited = (call: AppCall) => {
    calls += 1;
    call.send("", { status: calls === 2 ? 429 : 204 });
  };
  const { result } = await delivered(limited, { duplicate: 1 });
  expect(result).toMatchObject({
    outcome: "failed",
    reason: "unknown whether the app acknowledges a repeated delivery: the app answered 429, which decides nothing",
    hint: "raise the app's rate limit while it is tested",
  });
});

describe("the order", () => {
  it("differs with shuffle, and is the same with the same seed", async () => {
    const order = async (seed: number) => {
      const { calls } = await delivered(acknowledges, { count: 20, batch: 1, shuffle: true, seed });
      return bodiesOf(calls).join("\n");
    };
    const [one, again, other] = [await order(1), await order(1), await order(2)];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it("shuffles events within bodies too, and loses none", async () => {
    const { calls } = await delivered(acknowledges, { count: 50, shuffle: true, seed: 3 });
    const inOrder = await delivered(acknowledges, { count: 50 });
    const events = (all: readonly AppCall[]) =>
      all.flatMap((call) => (call.json() as { events: object[] }).events.map((event) => JSON.stringify(event)));
    expect(events(calls)).not.toEqual(events(inOrder.calls));
    expect(events(calls).sort()).toEqual(events(inOrder.calls).sort());
  });

  it("is one delivery at a time", async () => {
    let open = 0;
    const answer = (call: AppCall) => {
      open += 1;
      expect(open).toBe(1);
      setImmediate(() => {
        open -= 1;
        call.send("");
      });
    };
    const { result } = await delivered(answer, { count: 12, batch: 1 });
    expect(result.outcome).toBe("acknowledged");
  });

  it("is several at a time by the choice webhook.order, and never more than that", async () => {
    await using run = await startSimulation({ serves: oneWebhook, choices: { "webhook.order": 3 } });
    const running = run.sim.webhook("project.translated", { count: 7, batch: 1 });
    for (const together of [3, 3, 1]) {
      const calls = [];
      for (let call = 0; call < together; call++) calls.push(await run.app.nextCall());
      expect(run.app.calls.length % 3).toBe(together % 3);
      for (const call of calls) call.send("");
    }
    expect((await running).summary).toMatchObject({ acknowledged: 7 });
  });
});

describe("delays", () => {
  it("are within the limits and come from the seed", async () => {
    await using app = await startFakeApp({ manifest: oneWebhook });
    app.answer(acknowledges);
    const pauses: number[] = [];
    const base = { now: () => 0, monotonic: () => performance.now(), until: async () => {} };
    const clock = { ...base, pause: async (ms: number) => void pauses.push(ms) };
    const sim = await assemble({ app: { url: app.url } }, { clock });
    const options = { count: 30, batch: 1, delay: { min: 100, max: 200 }, seed: 5 };
    await sim.webhook("project.translated", options);
    expect(pauses).toHaveLength(30);
    expect(pauses.every((ms) => ms >= 100 && ms <= 200)).toBe(true);
    expect(new Set(pauses).size).toBeGreaterThan(5);
    const first = pauses.splice(0);
    await sim.webhook("project.translated", options);
    expect(pauses).toEqual(first);
  });

  it("with swapped limits are refused", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const error = await usageErrorOf(run.sim.webhook("project.translated", { delay: { min: 2, max: 1 } }));
    expect(error.code).toBe("delay-invalid");
  });
});

describe("losses", () => {
  it("are not sent, and are counted, but not as failures", async () => {
    const { result, calls } = await delivered(acknowledges, { count: 40, batch: 1, drop: 0.5, seed: 9 });
    expect(result.outcome).toBe("acknowledged");
    expect(result.summary.dropped).toBeGreaterThan(5);
    expect(result.summary.dropped + calls.length).toBe(40);
    expect(
      result.deliveries.filter(({ result: came }) => came === "dropped").every(({ attempts }) => attempts.length === 0),
    ).toBe(true);
  });

  it("of everything fail, because nothing was sent", async () => {
    const { result, calls } = await delivered(acknowledges, { drop: 1 });
    expect(result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("nothing was sent") });
    expect(calls).toEqual([]);
  });

  it("cannot be combined with forgeries", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const error = await usageErrorOf(run.sim.webhook("project.translated", { drop: 0.1, tamper: "body" }));
    expect(error.code).toBe("drop-with-tamper");
  });
});

describe("forged deliveries", () => {
  it.each(tamperings)("W1, W2: an app that verifies refuses a forged %s: refused", async (tamper) => {
    const { result, calls } = await delivered(verifies, { tamper });
    expect(result).toMatchObject({ outcome: "refused", reason: null, failure: null });
    expect(result.deliveries.map(({ tampered, result: came, asExpected }) => [tampered, came, asExpected])).toEqual([
      [null, "acknowledged", true],
      [tamper, "refused", true],
      [null, "acknowledged", true],
      [null, "acknowledged", true],
    ]);
    expect(calls).toHaveLength(4);
  });

  it("an app that removes duplicates before verifying gets that finding, not that it checks nothing", async () => {
    const reasonFor = async (answer: (call: AppCall) => void) =>
      (await delivered(answer, { tamper: "all" })).result.reason;
    /** Acknowledges what it knows by this key, and verifies only what is new. */
    const knowing = (key: (call: AppCall) => string) => {
      const known = new Set<string>();
      return (call: AppCall) => {
        if (known.has(key(call))) return acknowledges(call);
        verifies(call);
        if (call.header("x-platform-signature") === signatureOf(call)) known.add(key(call));
      };
    };
    expect(await reasonFor(knowing(({ body }) => body.toString()))).toMatch(
      /: it removes duplicates before it verifies: /,
    );
    expect(await reasonFor(knowing((call) => call.header("x-platform-signature") ?? ""))).toMatch(
      /: it removes duplicates by their signature before it verifies, or it does not verify the whole body$/,
    );
    expect(await reasonFor(acknowledges)).toMatch(/: it does not check the signature$/);
    for (const no of ['{"ok":false}', '{"error":"invalid signature"}', "Invalid signature", '"not signed"']) {
      const inBody = (call: AppCall) => {
        const isRight = call.header("x-platform-signature") === signatureOf(call);
        call.send(isRight ? "nothing failed" : no);
      };
      const { result: refusing } = await delivered(inBody, { tamper: "all" });
      expect(refusing.reason).toMatch(/: it answered 200, and refused it only in the body$/);
      expect(refusing.hint).toMatch(/^answer it with 401: /);
    }
    const signedOnly = (call: AppCall) =>
      call.header("x-platform-signature") === undefined ? acknowledges(call) : verifies(call);
    expect(await reasonFor(signedOnly)).toMatch(/: it accepts unsigned deliveries$/);
    // A right one removes duplicates after it has verified.
    const right = new Set<string>();
    const { result } = await delivered(
      (call) => {
        right.add(call.body.toString());
        verifies(call);
      },
      { tamper: "all" },
    );
    expect(result.outcome).toBe("refused");
  });

  it.each(tamperings)("an app that acknowledges everything fails with a forged %s", async (tamper) => {
    const { result } = await delivered(acknowledges, { tamper });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(
        /^the app acknowledged a delivery .*: it (does not check|accepts unsigned deliveries)/,
      ),
      hint: expect.stringContaining("--explain"),
    });
  });

  it("an app that refuses everything proves nothing: inconclusive", async () => {
    const { result } = await delivered((call) => call.send("", { status: 401 }), { tamper: [...tamperings] });
    expect(result).toMatchObject({ outcome: "inconclusive", reason: expect.stringContaining("prove nothing") });
  });

  it("a server error is not a refusal, and neither is a redirect, a reset or a timeout", async () => {
    const forgedWith = (fault: (call: AppCall) => void) => (call: AppCall) =>
      call.header("x-platform-signature") === signatureOf(call) ? acknowledges(call) : fault(call);
    for (const fault of [
      (call: AppCall) => call.send("", { status: 500 }),
      (call: AppCall) => call.send("", { status: 302, headers: { location: "/login" } }),
      (call: AppCall) => call.reset(),
    ]) {
      const { result } = await delivered(forgedWith(fault), { tamper: "body" });
      expect(result).toMatchObject({
        outcome: "failed",
        reason: expect.stringContaining("must be refused, but was not"),
      });
    }
  });

  it.each([401, 422])(
    "W2: an app that hashes re-serialized JSON refuses the right one in another spelling: %i",
    async (status) => {
      const rehashes = (call: AppCall) => {
        const digest = createHmac("sha256", "app-sim-app-secret").update(JSON.stringify(call.json())).digest("hex");
        call.send("", { status: call.header("x-platform-signature") === digest ? 204 : status });
      };
      const { result, calls } = await delivered(rehashes, { tamper: ["secret", "header"] });
      expect(result).toMatchObject({
        outcome: "failed",
        reason: expect.stringContaining("the same JSON, reformatted and correctly signed"),
        hint: expect.stringMatching(/raw body/),
      });
      const [usual, , , , other] = calls;
      expect(other?.json()).toEqual(usual?.json());
      expect(other?.body.equals(usual?.body ?? Buffer.alloc(0))).toBe(false);
      expect(result.deliveries.map(({ respelled }) => respelled)).toEqual([false, false, false, false, true]);
    },
  );

  const signsText = (encoding: BufferEncoding) => (call: AppCall) => {
    const digest = createHmac("sha256", "app-sim-app-secret").update(call.body.toString(encoding)).digest("hex");
    call.send("", { status: call.header("x-platform-signature") === digest ? 204 : 401 });
  };

  it.each(["ascii", "latin1"] as const)(
    "W2: an app that reads the body as %s refuses other letters",
    async (encoding) => {
      const { result } = await delivered(signsText(encoding), { tamper: "all" });
      expect(result).toMatchObject({
        outcome: "failed",
        reason: expect.stringMatching(
          /^the app refuses a correctly signed delivery with a non-ASCII project name, .* accepts an ASCII one/,
        ),
        hint: expect.stringMatching(/raw body/),
      });
      expect(result.deliveries.at(-1)).toMatchObject({ nonAscii: true, result: "refused", asExpected: false });
    },
  );

  it("W2: an app that reads it as UTF-8 is right; one that refuses such names is not accused", async () => {
    const { result, calls } = await delivered(signsText("utf8"), { tamper: "all" });
    expect(result).toMatchObject({ outcome: "refused", warnings: [] });
    expect(calls).toHaveLength(8);
    const isStrict = (call: AppCall) =>
      call.body.includes('"name"') ? call.send("", { status: 400 }) : verifies(call);
    const strict = await delivered(isStrict, { tamper: "all" });
    expect(strict.result).toMatchObject({
      outcome: "refused",
      reason: null,
      warnings: ["webhook events refuses a project with a name, so non-ASCII letters were not tried"],
    });
    const refusesAll = await delivered((call) => call.send("", { status: 401 }), { tamper: "all" });
    expect(refusesAll.result).toMatchObject({ outcome: "inconclusive", warnings: [] });
  });

  it("W2: an app that removes white space before hashing gets only that finding", async () => {
    const strips = (call: AppCall) => {
      const digest = createHmac("sha256", "app-sim-app-secret").update(call.body.toString().replaceAll(/\s/g, ""));
      call.send("", { status: call.header("x-platform-signature") === digest.digest("hex") ? 204 : 401 });
    };
    const { result } = await delivered(strips, { tamper: "all" });
    expect(result).toMatchObject({ reason: expect.stringContaining("the same JSON, reformatted"), warnings: [] });
  });

  it("W1: an app that compares only the beginning or the end of signatures is found", async () => {
    for (const part of [(text: string) => text.slice(0, 8), (text: string) => text.slice(-8)]) {
      const compares = (call: AppCall) => {
        const digest = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
        call.send("", { status: part(call.header("x-platform-signature") ?? "") === part(digest) ? 204 : 401 });
      };
      const { result } = await delivered(compares, { tamper: "all" });
      expect(result.reason).toContain("acknowledged a delivery whose signature is wrong");
    }
  });

  it("of an app that answers forgeries with another 2XX: the reason has both statuses", async () => {
    const tellsApart = (call: AppCall) => {
      const digest = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
      call.send("", { status: call.header("x-platform-signature") === digest ? 204 : 200 });
    };
    const { result } = await delivered(tellsApart, { tamper: "all" });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(/: it answered 200, and the right one with 204, but any 2XX acknowledges$/),
      hint: expect.stringMatching(/^answer it with 401/),
    });
  });

  it("of an app that crashes on one: the reason names it", async () => {
    const crashes = (call: AppCall) =>
      call.header("x-platform-signature") === undefined ? call.reset() : verifies(call);
    const { result } = await delivered(crashes, { tamper: "all" });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(/^a delivery without a signature must be refused, but was not: the app closed/),
      hint: expect.stringMatching(/^answer it with 401; .*\. What does it throw if a signature is missing or wrong\?/),
    });
  });

  it("do not matter if the correct ones fail: the first right one that fails is reported", async () => {
    const { result } = await delivered((call) => call.reset(), { tamper: "all" });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(/^the app closed the connection/),
    });
  });

  it("are not tried again", async () => {
    const { calls } = await delivered(verifies, { tamper: "secret" }, { "webhook.retries": 3 });
    expect(calls).toHaveLength(4);
  });
});

describe("how bodies travel", () => {
  it.each([
    ["compressed", (call: AppCall) => call.body],
    ["uncompressed", (call: AppCall) => gunzipSync(call.body)],
  ] as const)("gzip, signed %s", async (gzip, signed) => {
    const { calls } = await delivered(acknowledges, { gzip: true }, { "webhook.signature.gzip": gzip });
    const [call] = calls;
    if (call === undefined) throw new Error("nothing came");
    expect(call.header("content-encoding")).toBe("gzip");
    const digest = createHmac("sha256", "app-sim-app-secret").update(signed(call)).digest("hex");
    expect(call.header("x-platform-signature")).toBe(digest);
    expect(JSON.parse(gunzipSync(call.body).toString())).toMatchObject({ events: [{ event: "project.translated" }] });
  });

  it("chunked: no length, the same bytes, and the journal says so", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
    const result = await run.sim.webhook("project.translated", { count: 30, chunked: true });
    const [call] = run.app.calls;
    expect(result.outcome).toBe("acknowledged");
    expect([call?.header("transfer-encoding"), call?.header("content-length")]).toEqual(["chunked", undefined]);
    const record = run.sim.journal.find(result.deliveries[0]?.attempts[0]?.exchange ?? "");
    if (record?.type !== "exchange") throw new Error("no exchange");
    const names = record.request.headers.map(([name]) => name.toLowerCase());
    expect(names).toContain("transfer-encoding");
    expect(names).not.toContain("content-length");
    expect(record.request.body.base64).toBe(call?.body.toString("base64"));
  });
});

describe("once()", () => {
  it("changes only the next attempt, after signing", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
    run.sim.once("delivery", ({ headers, body }) => ({ headers: [...headers, ["X-Extra", "1"]], body }));
    await run.sim.webhook("project.translated");
    await run.sim.webhook("project.translated");
    expect(run.app.calls.map((call) => call.header("x-extra"))).toEqual(["1", undefined]);
    run.sim.once("delivery", ({ headers }) => ({ headers, body: Buffer.from('{"events":[]}') }));
    expect((await run.sim.webhook("project.translated")).outcome).toBe("failed");
  });

  it("changes the next events before they are batched", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
    run.sim.once("events", (events) => events.map((event) => ({ ...event, extra: [1, { two: null }] })));
    expect((await run.sim.webhook("project.translated")).outcome).toBe("acknowledged");
    expect(run.app.calls[0]?.json()).toMatchObject({ events: [{ extra: [1, { two: null }] }] });
  });

  it.each([
    ["a header that is none", () => ({ headers: [["X A", "1"]], body: Buffer.alloc(0) })],
    ["no body", () => ({ headers: [] })],
    [
      "an error",
      () => {
        throw new Error("oh");
      },
    ],
  ])("refuses a change that returns %s", async (_, change) => {
    await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
    run.sim.once("delivery", change as never);
    await usageErrorOf(run.sim.webhook("project.translated"));
  });
});

it("for a change that returns nothing, the error says to return the value", async () => {
  await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
  run.sim.once("delivery", (() => {}) as never);
  expect(await usageErrorOf(run.sim.webhook("project.translated"))).toMatchObject({
    message: 'the change of "delivery" returned nothing',
    hint: expect.stringContaining("return the value"),
  });
});

describe("faults that --tamper finds", () => {
  const right = (call: AppCall) => call.header("x-platform-signature") === signatureOf(call);

  it.each([408, 425, 429])("%i for a forged delivery, which decides nothing", async (status) => {
    const { result } = await delivered((call) => call.send("", { status: right(call) ? 204 : status }), {
      tamper: "secret",
    });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("unknown whether a delivery signed with another secret is refused"),
    });
  });

  it.each([304, 600, 999])("%i, which refuses nothing", async (status) => {
    const { result } = await delivered((call) => call.send("", { status: right(call) ? 204 : status }), {
      tamper: "secret",
    });
    expect(result.outcome).toBe("failed");
    expect(result.deliveries[1]?.attempts[0]?.outcome).toBe("unexpected-status");
  });

  it("a rate limit: nothing is retried, right or forged", async () => {
    let calls = 0;
    const limits = (call: AppCall) => call.send("", { status: calls++ === 0 ? 204 : 429 });
    const { result } = await delivered(limits, { tamper: "all" }, { "webhook.retries": 2, "webhook.backoff": 0 });
    expect(result.outcome).toBe("failed");
    expect(calls).toBe(8);
  });

  it.each([
    ["a text that ends in an escape", { text: "hello\n" }],
    ["a text that ends in a Unicode escape", { text: "\u001f" }],
    ["no text at all", { number: 1.5 }],
    ["a text that ends in a backslash", { path: "C:\\" }],
  ])("a parser or an unknown event name, with %s", async (_, payload) => {
    const serves = manifestOf({ webhooks: [webhookEntry("events", ["note.added"])] });
    const parses = (call: AppCall) => {
      const { events } = call.json() as { events: { event: string }[] };
      call.send("", { status: events[0]?.event === "note.added" ? 204 : 400 });
    };
    await using run = await startSimulation({ serves, answer: parses });
    const result = await run.sim.webhook("note.added", { data: payload, tamper: "body" });
    expect(result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("does not check") });
  });
});

it("a change that throws ends the run, and nothing else is sent", async () => {
  await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
  run.sim.once("delivery", () => {
    throw new Error("oh");
  });
  await usageErrorOf(run.sim.webhook("project.translated", { count: 20, batch: 1 }));
  const { length } = run.app.calls;
  await run.sim.webhook("project.approved");
  expect(run.app.calls).toHaveLength(length + 1);
});

it("each delivery has its own random numbers: with the same seed its pauses are the same, however fast the app answers", async () => {
  const pausesWith = async (order: number) => {
    await using app = await startFakeApp({ manifest: oneWebhook });
    app.answer((call) => call.send("", { status: 500 }));
    const pauses: number[] = [];
    const clock = { now: () => 0, monotonic: () => performance.now(), until: async () => {} };
    const pause = async (ms: number) => void pauses.push(ms);
    const choices = { "webhook.order": order, "webhook.retries": 1, "webhook.jitter": 1 };
    const sim = await assemble({ app: { url: app.url }, choices }, { clock: { ...clock, pause } });
    await sim.webhook("project.translated", { count: 8, batch: 1, seed: 3 });
    return pauses.sort((one, other) => one - other);
  };
  expect(await pausesWith(4)).toEqual(await pausesWith(1));
});

it("refuses more deliveries than can be listed one by one", async () => {
  await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
  const error = await usageErrorOf(run.sim.webhook("project.translated", { count: 100_000, batch: 1, duplicate: 1 }));
  expect(error).toMatchObject({ code: "too-many-deliveries", hint: expect.stringContaining("app-sim load") });
});
