import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { tamperings } from "../../../src/protocol/webhook.ts";
import type { WebhookOptions } from "../../../src/simulator/webhook/webhook-options.ts";
import { type AppCall, manifestOf, startFakeApp, webhookEntry } from "../../rig/fake-app.ts";
import { assemble, startSimulation, usageErrorOf } from "../../rig/simulation.ts";

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
  it("hold at most so many events, in their order", async () => {
    const { result, calls } = await delivered(acknowledges, { count: 7, batch: 3 });
    expect(result.deliveries.map(({ events, bytes }) => [events, bytes])).toEqual(
      calls.map((call) => [(call.json() as { events: unknown[] }).events.length, call.body.length]),
    );
    expect(result.deliveries.map(({ events }) => events)).toEqual([3, 3, 1]);
    expect(result.summary).toMatchObject({ deliveries: 3, events: 7, acknowledged: 3, attempts: 3 });
  });

  it("are as large as the choices say, unless asked otherwise", async () => {
    const { result } = await delivered(acknowledges, { count: 7 }, { "webhook.batch.events": 5 });
    expect(result.deliveries.map(({ events }) => events)).toEqual([5, 2]);
    const small = await delivered(acknowledges, { count: 50 }, { "webhook.batch.bytes": 1024 });
    expect(small.result.deliveries.every(({ bytes }) => bytes <= 1024)).toBe(true);
    expect(small.result.summary.events).toBe(50);
  });

  it("of an event that is larger than a body are refused, and nothing is sent", async () => {
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

describe("the order", () => {
  it("is another one with shuffle, and the same one with the same seed", async () => {
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

  it("is several at a time by the choice webhook.order, and never more", async () => {
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
  it("are within the bounds and come from the seed", async () => {
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

  it("whose bounds are the wrong way round are refused", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: acknowledges });
    const error = await usageErrorOf(run.sim.webhook("project.translated", { delay: { min: 2, max: 1 } }));
    expect(error.code).toBe("delay-invalid");
  });
});

describe("losses", () => {
  it("are deliveries that are not sent: no failure, but counted", async () => {
    const { result, calls } = await delivered(acknowledges, { count: 40, batch: 1, drop: 0.5, seed: 9 });
    expect(result.outcome).toBe("acknowledged");
    expect(result.summary.dropped).toBeGreaterThan(5);
    expect(result.summary.dropped + calls.length).toBe(40);
    expect(
      result.deliveries.filter(({ result: came }) => came === "dropped").every(({ attempts }) => attempts.length === 0),
    ).toBe(true);
  });

  it("of everything fail: nothing was sent", async () => {
    const { result, calls } = await delivered(acknowledges, { drop: 1 });
    expect(result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("nothing was sent") });
    expect(calls).toEqual([]);
  });

  it("say nothing together with forgeries", async () => {
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
    ]);
    expect(calls).toHaveLength(3);
  });

  it.each(tamperings)("an app that acknowledges everything fails with a forged %s", async (tamper) => {
    const { result } = await delivered(acknowledges, { tamper });
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(/^the app acknowledged a delivery .*: it does not check the signature$/),
      hint: expect.stringContaining("--explain"),
    });
  });

  it("an app that refuses everything proves nothing: inconclusive", async () => {
    const { result } = await delivered((call) => call.send("", { status: 401 }), { tamper: [...tamperings] });
    expect(result).toMatchObject({ outcome: "inconclusive", reason: expect.stringContaining("say nothing") });
  });

  it("a server error is no refusal, nor is a redirect, a reset or a timeout", async () => {
    const forgedWith = (fault: (call: AppCall) => void) => (call: AppCall) =>
      call.header("x-platform-signature") === signatureOf(call) ? acknowledges(call) : fault(call);
    for (const fault of [
      (call: AppCall) => call.send("", { status: 500 }),
      (call: AppCall) => call.send("", { status: 302, headers: { location: "/login" } }),
      (call: AppCall) => call.reset(),
    ]) {
      const { result } = await delivered(forgedWith(fault), { tamper: "body" });
      expect(result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("was not refused") });
    }
  });

  it("are not tried again", async () => {
    const { calls } = await delivered(verifies, { tamper: "secret" }, { "webhook.retries": 3 });
    expect(calls).toHaveLength(3);
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
  it("changes the next attempt after it was signed, and only that", async () => {
    await using run = await startSimulation({ serves: oneWebhook, answer: verifies });
    run.sim.once("delivery", ({ headers, body }) => ({ headers: [...headers, ["X-Extra", "1"]], body }));
    await run.sim.webhook("project.translated");
    await run.sim.webhook("project.translated");
    expect(run.app.calls.map((call) => call.header("x-extra"))).toEqual(["1", undefined]);
    run.sim.once("delivery", ({ headers }) => ({ headers, body: Buffer.from('{"events":[]}') }));
    expect((await run.sim.webhook("project.translated")).outcome).toBe("failed");
  });

  it("changes the next events before they are put into bodies", async () => {
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
