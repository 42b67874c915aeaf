import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { LoadOptions } from "../../src/simulator/load/load-options.ts";
import { loadResultSchema } from "../../src/simulator/load/load-result.ts";
import { manifestOf, startFakeApp, unusedPort, webhookEntry } from "../rig/fake-app.ts";
import { faults } from "../rig/faults.ts";
import { assemble, exchangesOf, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const manifest = manifestOf({ webhooks: [webhookEntry("webhook")] });
const EVENT = "project.translated";

describe("a load", () => {
  it("2.6 sends signed deliveries, each acknowledged, and keeps none of them", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send("", { status: 204 }));
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load(EVENT, { count: 300, batch: 3, seed: 1 });
    expect(loadResultSchema.parse(result)).toMatchObject({
      outcome: "ok",
      asked: { mode: "closed", concurrency: 10, rate: null, durationMs: null, count: 300, batch: 3, connections: 10 },
      sent: 300,
      events: 900,
      acknowledged: 300,
      failed: 0,
      notSent: 0,
      errors: [],
    });
    expect(app.calls).toHaveLength(300);
    for (const { body, header } of app.calls) {
      const signature = createHmac("sha256", sim.config.apps[0]?.appSecret ?? "")
        .update(body)
        .digest("hex");
      expect(header("x-platform-signature")).toBe(signature);
      expect(JSON.parse(body.toString()).events).toHaveLength(3);
    }
    expect(result.bytes).toBe(app.calls.reduce((sum, { body }) => sum + body.length, 0));
    expect(exchangesOf(sim, "webhook")).toEqual([]);
  });

  it("is sent to the modules in turn, each with the events that it names", async () => {
    const webhooks = [webhookEntry("one", [EVENT]), webhookEntry("other", ["project.approved"])];
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks }) });
    app.answer((call) => call.send(""));
    const sim = await assemble({ app: { url: app.url } });
    await sim.load([EVENT, "project.approved"], { count: 20, concurrency: 1, seed: 1 });
    expect(app.calls.map(({ path }) => path)).toEqual(Array.from({ length: 10 }, () => ["/one", "/other"]).flat());
    const names = app.calls.map(({ body }) => JSON.parse(body.toString()).events[0].event);
    expect(names).toEqual(Array.from({ length: 10 }, () => [EVENT, "project.approved"]).flat());
  });

  it("closes its connections at the end", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(""));
    const sim = await assemble({ app: { url: app.url } });
    await sim.load(EVENT, { count: 50, concurrency: 8, connections: 2, seed: 1 });
    expect(app.calls).toHaveLength(50);
    await Promise.all(app.calls.map(({ closed }) => closed));
  });

  it("at a rate does not wait for answers", async () => {
    await using app = await startFakeApp({ manifest });
    const held: (() => void)[] = [];
    app.answer((call) => {
      held.push(() => call.send(""));
      if (held.length === 20) for (const answer of held) answer();
    });
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load(EVENT, { rate: 200, count: 20, seed: 1 });
    expect(result).toMatchObject({ outcome: "ok", acknowledged: 20, asked: { mode: "open", connections: 100 } });
  });

  it("at a rate measures from when a delivery was due: no wait is left out", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(""));
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load(EVENT, { rate: 1_000_000, count: 50, connections: 1, seed: 1 });
    // All were due at once and had one connection: half of the others came before each of them.
    expect(result.latency?.mean).toBeGreaterThan(5 * (result.serviceTime?.mean ?? Number.POSITIVE_INFINITY));
  });

  it("at a rate, what no connection becomes free for is not sent", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.hang());
    const sim = await assemble({ app: { url: app.url }, choices: { "webhook.timeout": 200 } });
    const result = await sim.load(EVENT, { rate: 1000, count: 10, connections: 2, seed: 1 });
    expect(result.sent + result.notSent).toBe(10);
    expect(result.notSent).toBeGreaterThan(0);
    expect(result).toMatchObject({ outcome: "failed" });
    expect(result.errors.map(({ kind }) => kind).toSorted()).toEqual(["not-sent", "timed-out"]);
    expect(result.errors.find(({ kind }) => kind === "not-sent")).toMatchObject({ exchange: null, failure: "other" });
  });

  it("R21: is interrupted at once", async () => {
    await using app = await startFakeApp({ manifest });
    const interruption = new AbortController();
    app.answer((call) => {
      call.hang();
      if (app.calls.length === 3) interruption.abort();
    });
    const sim = await assemble({ app: { url: app.url } }, { signal: interruption.signal });
    const result = await sim.load(EVENT, { concurrency: 3, seed: 1 });
    expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", failure: "interrupted", failed: 3 });
    expect(result.errors).toMatchObject([{ kind: "interrupted", count: 3 }]);
  });

  it("names the events that the modules know, where none gets one", async () => {
    await using app = await startFakeApp({ manifest });
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load("project.translatet", { count: 1 });
    expect(result).toMatchObject({ outcome: "failed", failure: null, sent: 0, latency: null });
    expect(result.reason).toMatch(/Did you mean "project\.translated"/);
  });
});

describe.each(faults)("R40: an app that $name, under load", (fault) => {
  it("ends each delivery with one named outcome, and keeps the first of a kind", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(fault.play);
    const timeout = fault.outcome === "timed-out" ? 200 : 30_000;
    const sim = await assemble({ app: { url: app.url }, choices: { "webhook.timeout": timeout } });
    const result = loadResultSchema.parse(await sim.load(EVENT, { count: 6, concurrency: 2, seed: 1 }));
    expect(app.calls).toHaveLength(6);
    const reason = fault.reason instanceof RegExp ? fault.reason : fault.reason.webhook;
    if (reason === null) {
      expect(result).toMatchObject({ outcome: "ok", acknowledged: 6, errors: [] });
      return;
    }
    expect(result).toMatchObject({ outcome: "failed", acknowledged: 0, failed: 6, failure: fault.failure ?? "other" });
    expect(result.errors).toHaveLength(1);
    const [error] = result.errors;
    expect(error?.count).toBe(6);
    expect(error?.reason).toMatch(reason);
    const [exchange, ...others] = exchangesOf(sim, "webhook");
    expect(others).toEqual([]);
    expect(exchange).toMatchObject({ id: error?.exchange, outcome: { kind: fault.outcome }, delivery: { attempt: 1 } });
    if (fault.outcome !== "answered") expect(error?.kind).toBe(fault.outcome);
  });
});

it("R5: an app that resets in a body of unknown length", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer(async (call) => {
    call.raw("HTTP/1.1 200 OK\r\n\r\n{", { end: false });
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    call.reset();
  });
  const sim = await assemble({ app: { url: app.url } });
  const result = await sim.load(EVENT, { count: 2, concurrency: 1, seed: 1 });
  expect(result.errors).toMatchObject([{ kind: "disconnected", count: 2, status: null }]);
});

it("R2: an app that does not run", async () => {
  using directory = makeTempDir();
  const url = `http://127.0.0.1:${await unusedPort()}`;
  const sim = await assemble({ app: { url, manifest: directory.write("manifest.json", manifest) } });
  const result = await sim.load(EVENT, { count: 3, seed: 1 });
  expect(result).toMatchObject({ outcome: "failed", failure: "unreachable", failed: 3, events: 0, latency: null });
  expect(result.errors).toMatchObject([{ kind: "unreachable", count: 3 }]);
  expect(result.reason).toContain(`nothing listens at ${url}`);
});

it("an app that closes a kept connection when the next delivery comes on it is told so", async () => {
  let answered = 0;
  const server = createServer((socket) => {
    let isFirst = true;
    socket.on("error", () => {});
    socket.on("data", () => {
      if (isFirst) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      else socket.destroy();
      answered += isFirst ? 1 : 0;
      isFirst = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  using directory = makeTempDir();
  const app = { url: `http://127.0.0.1:${address.port}`, manifest: directory.write("manifest.json", manifest) };
  try {
    const result = await (await assemble({ app })).load(EVENT, { count: 4, concurrency: 1, seed: 1 });
    expect(answered).toBe(2);
    expect(result.errors).toMatchObject([{ kind: "kept-connection-closed", count: 2 }]);
    expect(result.errors[0]?.hint).toMatch(/keep-alive/);
  } finally {
    server.close();
  }
});

it.each(["http://8.8.8.8:9", "http://[2606:4700:4700::1111]:9", "http://169.254.169.254", "http://[::ffff:8.8.8.8]:9"])(
  "S29: %s gets no load, and nothing is sent",
  async (url) => {
    const gateway = {
      call: () => {
        throw new Error("something was sent");
      },
    };
    const sim = await assemble({ app: { url } }, { gateway });
    expect(await usageErrorOf(sim.load(EVENT))).toMatchObject({ code: "load-target" });
  },
);

const excluding: readonly LoadOptions[] = [
  { rate: 10, concurrency: 2 },
  { durationMs: 1000, count: 2 },
];
it.each(excluding)("%j exclude each other", async (options) => {
  const sim = await assemble({});
  expect((await usageErrorOf(sim.load(EVENT, options))).message).toMatch(/do not go together/);
});
