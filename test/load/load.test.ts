import { createHmac } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { recordSchema } from "../../src/journal/record-schema.ts";
import type { LoadOptions } from "../../src/load/load-options.ts";
import { loadResultSchema } from "../../src/load/load-result.ts";
import { sound } from "../hardening/hostile-answer.ts";
import { hostileHttp } from "../hardening/hostile-http.ts";
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
    const record = sim.journal.list().at(-1);
    expect(record).toMatchObject({ type: "load", outcome: "ok", sent: 300, failed: 0, exchanges: [] });
    const points = record?.type === "load" ? record.curve : [];
    expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(300);
    expect(recordSchema.parse(record)).toEqual(record);
  });

  it("sends to the modules in turn, each with the events that it names", async () => {
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

  it("at a rate, does not wait for answers", async () => {
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

  it("at a rate, measures from when a delivery was due: no wait is omitted", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(""));
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load(EVENT, { rate: 1_000_000, count: 50, connections: 1, seed: 1 });
    // All were due at once and had one connection: half of the others came before each of them.
    expect(result.latency?.mean).toBeGreaterThan(5 * (result.serviceTime?.mean ?? Number.POSITIVE_INFINITY));
  });

  it("at a rate, does not send what no connection becomes free for", async () => {
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

  it("names the events that the modules know, if none gets one", async () => {
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

const spokenWrongly = hostileHttp.filter(({ name }) => /^R(?:7|9|10|11):/.test(name));
describe.each(spokenWrongly)("an app that, under load, $name", ({ play, ends }) => {
  it("ends every delivery in the same way, whatever came before it on the connection", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => play(call, sound.answer));
    const sim = await assemble({ app: { url: app.url } });
    const { sent, acknowledged, errors } = await sim.load(EVENT, { count: 8, concurrency: 2, seed: 1 });
    expect(app.calls).toHaveLength(8);
    expect(sent).toBe(8);
    const outcome = ends.answer?.outcome ?? "answered";
    if (acknowledged === 0)
      expect(errors).toMatchObject([outcome === "answered" ? { status: 999, count: 8 } : { kind: outcome, count: 8 }]);
    else expect([outcome, acknowledged, errors]).toEqual(["answered", 8, []]);
  });
});

const ACKNOWLEDGED = "HTTP/1.1 204 No Content\r\n\r\n";
const REFUSED = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n";
describe("R10: an unrequested second answer is never mistaken for that of the next delivery", () => {
  const write: Record<string, (socket: Socket) => void> = {
    "with the first": (socket) => socket.write(ACKNOWLEDGED + REFUSED),
    "on the idle connection": (socket) => {
      socket.write(ACKNOWLEDGED);
      setImmediate(() => socket.write(REFUSED));
    },
  };
  it.each(Object.entries(write))("that comes %s", async (_when, answer) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {});
      socket.on("data", () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    using directory = makeTempDir();
    const app = { url: `http://127.0.0.1:${port}`, manifest: directory.write("manifest.json", manifest) };
    try {
      const sim = await assemble({ app });
      const result = await sim.load(EVENT, { count: 5, rate: 10, connections: 1, seed: 1 });
      expect(result).toMatchObject({ outcome: "ok", acknowledged: 5, errors: [] });
      // One more was made to see whether anybody is there.
      expect(connections).toBe(6);
    } finally {
      server.close();
    }
  });
});

it("a load does not use up a change that waits for the next single delivery", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer((call) => call.send(""));
  const sim = await assemble({ app: { url: app.url } });
  sim.once("delivery", (delivery) => ({ ...delivery, body: Buffer.from("changed") }));
  await sim.load(EVENT, { count: 2, concurrency: 1, seed: 1 });
  await sim.webhook(EVENT);
  expect(app.calls.map(({ body }) => body.toString() === "changed")).toEqual([false, false, true]);
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

it("R2: an app that is not running", async () => {
  using directory = makeTempDir();
  const url = `http://127.0.0.1:${await unusedPort()}`;
  const sim = await assemble({ app: { url, manifest: directory.write("manifest.json", manifest) } });
  const result = loadResultSchema.parse(await sim.load(EVENT, { rate: 10, durationMs: 3_600_000, seed: 1 }));
  expect(result).toMatchObject({ outcome: "failed", failure: "unreachable", sent: 0, notSent: 0, errors: [] });
  expect(result.reason).toContain(`nothing listens at ${url}`);
});

it("for an app that closes a kept connection when the next delivery comes, the hint says so", async () => {
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

it("an app with an unknown host name is reported at once", async () => {
  using directory = makeTempDir();
  const url = "http://nobody.invalid:9";
  const sim = await assemble({ app: { url, manifest: directory.write("manifest.json", manifest) } });
  const result = await sim.load(EVENT, { rate: 10, durationMs: 3_600_000 });
  expect(result).toMatchObject({ outcome: "failed", failure: "unreachable", sent: 0, notSent: 0 });
  expect(result.reason).toContain("nobody.invalid");
});

describe("2.1 a module whose url is absolute", () => {
  it("gets its share at its own origin", async () => {
    await using other = await startFakeApp({ manifest });
    const webhooks = [webhookEntry("own"), { ...webhookEntry("other"), url: `${other.url}/hook` }];
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks }) });
    for (const each of [app, other]) each.answer((call) => call.send(""));
    const sim = await assemble({ app: { url: app.url, fileOrigins: [other.url] } });
    const result = await sim.load(EVENT, { count: 10, seed: 1 });
    expect(result).toMatchObject({ outcome: "ok", acknowledged: 10 });
    expect([app.calls.length, other.calls.map(({ path }) => path)]).toEqual([5, Array(5).fill("/hook")]);
  });

  it.each([
    ["http://8.8.8.8:9/hook", "load-target"],
    ["http://169.254.169.254/hook", "manifest-invalid"],
  ])("S29: gets no load at %s", async (url, code) => {
    const webhooks = [webhookEntry("own"), { ...webhookEntry("other"), url }];
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks }) });
    const sim = await assemble({ app: { url: app.url, fileOrigins: [new URL(url).origin] } });
    expect(await usageErrorOf(sim.load(EVENT))).toMatchObject({ code });
    expect(await usageErrorOf(sim.exportLoad(EVENT))).toMatchObject({ code });
    expect(app.calls).toEqual([]);
  });
});

describe("a rate that cannot be reached", () => {
  /** Answers one after another, so late that the connections are the bottleneck. */
  const slow = (call: { send(body: string): void }) => void setTimeout(() => call.send(""), 100);

  it("fails the load, with both rates and the connections", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(slow);
    const sim = await assemble({ app: { url: app.url } });
    const result = await sim.load(EVENT, { rate: 50, count: 30, connections: 2, seed: 1 });
    expect(result).toMatchObject({ outcome: "failed", acknowledged: 30, failure: "other", errors: [] });
    expect(result.reason).toMatch(
      /^only [\d.]+ of 50 requested deliveries a second were sent: all 2 connections were busy$/,
    );
    expect(result.hint).toContain("--connections N");
  });

  it("is left to an expectation, if there is one", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(slow);
    const sim = await assemble({ app: { url: app.url } });
    const options = { rate: 50, count: 30, connections: 2, expect: "rate>=1" };
    expect(await sim.load(EVENT, options)).toMatchObject({ outcome: "ok", acknowledged: 30, warnings: [] });
  });
});

it("never passes if nothing was acknowledged, whatever is allowed to fail", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer((call) => call.send("", { status: 500 }));
  const sim = await assemble({ app: { url: app.url } });
  const result = await sim.load(EVENT, { count: 5, expect: { errors: "100%" } });
  expect(result).toMatchObject({ outcome: "failed", acknowledged: 0 });
  expect(result.reason).toContain("5 of 5 deliveries were not acknowledged");
});

it("shows what was never sent next to what was expected", async () => {
  await using app = await startFakeApp({ manifest });
  let answered = 0;
  app.answer((call) => (answered++ === 0 ? call.send("") : call.hang()));
  const sim = await assemble({ app: { url: app.url }, choices: { "webhook.timeout": 300 } });
  const result = await sim.load(EVENT, { rate: 1000, count: 20, connections: 1, expect: "p50<100ms", seed: 1 });
  expect(result.reason).toMatch(/^p50<100ms was expected, but it was .* of 20 were never sent; /);
  expect(result.reason).toMatch(/19 of 20 deliveries were not acknowledged \(1\d were never sent\)/);
});

const excluding: readonly LoadOptions[] = [
  { rate: 10, concurrency: 2 },
  { durationMs: 1000, count: 2 },
];
it.each(excluding)("%j exclude each other", async (options) => {
  const sim = await assemble({});
  expect((await usageErrorOf(sim.load(EVENT, options))).message).toMatch(/cannot be combined/);
});
