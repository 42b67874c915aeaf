import { createHmac } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/app-client/ports.ts";
import type { Exchange } from "../../src/index.ts";
import { webhookResultSchema } from "../../src/index.ts";
import { createJournal, recordBody } from "../../src/journal/journal.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";
import { assemble, exchangesOf, startSimulation, usageErrorOf } from "../rig/simulation.ts";

const serves = manifestOf({ webhooks: [webhookEntry("events")] });
const acknowledges = (call: AppCall) => call.send("", { status: 204 });
const secret = "app-sim-app-secret";
const hmac = (bytes: Uint8Array, key = secret) => createHmac("sha256", key).update(bytes).digest("hex");

/** All that is not HTTP's own, in its order and spelling. */
const ownHeaders = ({ headers }: Pick<AppCall, "headers">) =>
  headers.filter(
    ([name]) => !["host", "connection", "content-length", "transfer-encoding"].includes(name.toLowerCase()),
  );

function sentOnce(app: FakeApp): [AppCall, AppCall] {
  const [first, second, ...others] = app.calls;
  if (first === undefined || second === undefined || others.length > 0) throw new Error(`${app.calls.length} calls`);
  return [first, second];
}

const lastDelivery = (sim: Pick<Simulator, "journal">): Exchange => exchangesOf(sim, "webhook").at(-1) as Exchange;

/** A webhook exchange as an app at this address got it, some of its parts replaced. */
function recorded(url: string, changes: Partial<Exchange["request"]> = {}, id = "recorded"): Exchange {
  const body = recordBody(Buffer.from('{"events":[{"event":"project.approved"}]}'));
  const headers = [
    ["host", "127.0.0.1"],
    ["X-Platform-Signature", "old"],
    ["content-length", "41"],
  ] as const;
  const request = { method: "POST", url, headers, body, ...changes };
  return exchangeRecord(id, { purpose: "webhook", module: "events", delivery: { id: "d", attempt: 1 }, request });
}

describe("a replay", () => {
  it.each([
    ["plain", {}, {}],
    ["gzip", { gzip: true }, {}],
    ["chunked", { chunked: true }, {}],
    ["gzip, chunked", { gzip: true, chunked: true }, {}],
    [
      "with a timestamp, and an id",
      {},
      { "webhook.signature.content": "timestamp.body", "webhook.delivery.header": "X-D" },
    ],
  ] as const)("sends the same bytes and header lines again: %s", async (_, options, choices) => {
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    await run.sim.webhook("project.approved", { ...options, set: ["project.id=é👋\u2028/"] });
    const result = await run.sim.replay("last");
    const [first, second] = sentOnce(run.app);
    expect(second.body).toEqual(first.body);
    expect(second.path).toBe(first.path);
    expect(second.headers).toEqual(first.headers);
    expect(result).toMatchObject({ command: "replay", outcome: "acknowledged", reason: null, failure: null });
    expect(webhookResultSchema.parse(result)).toEqual(result);
  });

  it("keeps the id of the delivery, and continues to count its attempts", async () => {
    await using run = await startSimulation({
      serves,
      answer: (call) => call.send("", { status: 500 }),
      choices: { "webhook.retries": 1, "webhook.backoff": 0 },
    });
    const [delivery] = (await run.sim.webhook("project.approved")).deliveries;
    const [first] = exchangesOf(run.sim, "webhook");
    const result = await run.sim.replay(first as Exchange);
    expect(result.deliveries).toMatchObject([
      { id: delivery?.id, module: "events", events: 1, copy: 0, result: "failed" },
    ]);
    expect(result.deliveries[0]?.bytes).toBe(delivery?.bytes);
    const attempts = exchangesOf(run.sim, "webhook").map((exchange) => exchange.delivery);
    expect(attempts).toEqual([1, 2, 3, 4].map((attempt) => ({ id: delivery?.id, attempt })));
    expect(result).toMatchObject({ outcome: "failed", summary: { deliveries: 1, failed: 1, attempts: 2 } });
  });

  it("of an exchange without a delivery id uses its own id", async () => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    const { delivery: _, ...old } = recorded(`${run.app.url}/events`);
    const result = await run.sim.replay(old);
    expect(result.deliveries).toMatchObject([{ id: "recorded", result: "acknowledged" }]);
    expect(lastDelivery(run.sim).delivery).toEqual({ id: "recorded", attempt: 2 });
  });

  it("does not depend on signature choices", async () => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    await run.sim.webhook("project.approved");
    expect((await run.sim.replay("last")).choices).toEqual(["webhook.retries", "webhook.timeout"]);
  });
});

describe("signed anew", () => {
  it("has the signature by the current secret and choices; everything else is unchanged", async () => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    await run.sim.webhook("project.approved");
    const before = lastDelivery(run.sim);
    const sim = await assemble({
      app: { url: run.app.url, appSecret: "another-secret" },
      choices: { "wire.headerPrefix": "X-Acme-", "wire.userAgent": "Acme/1", "webhook.signature.prefix": "sha256=" },
    });
    const result = await sim.replay(before, { resign: true });
    const [first, second] = sentOnce(run.app);
    expect(second.body).toEqual(first.body);
    expect(ownHeaders(second)).toEqual([
      ...ownHeaders(first).filter(([name]) => name !== "X-Platform-Signature"),
      ["X-Acme-Signature", `sha256=${hmac(first.body, "another-secret")}`],
    ]);
    expect(result.choices).toEqual(expect.arrayContaining(["webhook.signature.encoding", "wire.headerPrefix"]));
  });

  it("has a current timestamp, also on the next attempt", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status: app.calls.length === 3 ? 204 : 503 }));
    let now = Date.UTC(2031, 4, 6);
    const clock: Clock = {
      ...systemClock,
      now: () => now,
      async pause() {
        now += 60_000;
      },
    };
    const input = { app: { url: app.url }, choices: { "webhook.signature.content": "timestamp.body" } } as const;
    const sim = await assemble(input, { clock });
    await sim.webhook("project.approved");
    now += 3_600_000;
    const retrying = { ...input, choices: { ...input.choices, "webhook.retries": 1 } } as const;
    await (await assemble(retrying, { clock })).replay(lastDelivery(sim), { resign: true });
    const seconds = app.calls.map((call) => Number(call.header("x-platform-timestamp")));
    const start = Date.UTC(2031, 4, 6) / 1000;
    expect(seconds).toEqual([start, start + 3600, start + 3660]);
    for (const [index, call] of app.calls.entries()) {
      const signed = Buffer.concat([Buffer.from(`${seconds[index]}.`), call.body]);
      expect(call.header("x-platform-signature")).toBe(hmac(signed));
    }
  });

  it("without it an old timestamp stays, with a warning", async () => {
    const choices = { "webhook.signature.content": "timestamp.body" } as const;
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    await run.sim.webhook("project.approved");
    const { warnings } = await run.sim.replay("last");
    expect(warnings).toEqual([expect.stringMatching(/^it was signed at \d+ s: .*--resign signs it again$/)]);
    expect((await run.sim.replay("last", { resign: true })).warnings).toEqual([]);
  });

  it.each([
    ["compressed", (body: Buffer) => body],
    ["uncompressed", (body: Buffer) => gunzipSync(body)],
  ] as const)("by the choice webhook.signature.gzip %s", async (choice, signed) => {
    const choices = { "webhook.signature.gzip": choice };
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    await run.sim.webhook("project.approved", { gzip: true });
    await run.sim.replay("last", { resign: true });
    await run.sim.replay("last", { body: Buffer.from('{"events":[1,2]}') });
    const [first, second, third] = run.app.calls;
    expect(second?.body).toEqual(first?.body);
    expect(gunzipSync(third?.body ?? "").toString()).toBe('{"events":[1,2]}');
    for (const call of run.app.calls) expect(call.header("x-platform-signature")).toBe(hmac(signed(call.body)));
  });

  it("gives a delivery that had no signature one", async () => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    const unsigned = recorded(`${run.app.url}/events`, { headers: [["Content-Type", "application/json"]] });
    await run.sim.replay(unsigned, { resign: true });
    const [call] = run.app.calls;
    expect(call?.header("x-platform-signature")).toBe(hmac(call?.body ?? Buffer.alloc(0)));
  });
});

describe("another body", () => {
  it.each([
    ["JSON", Buffer.from('{"events":[{"event":"a"},{"event":"b"}]}'), 2],
    ["no JSON", Buffer.from("\xff{", "latin1"), 0],
    ["nothing", Buffer.alloc(0), 0],
    ["JSON without events", Buffer.from("[7]"), 0],
  ])("is sent unchanged, and signed: %s", async (_, body, events) => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    await run.sim.webhook("project.approved");
    const result = await run.sim.replay("last", { body });
    const [, call] = sentOnce(run.app);
    expect(call.body).toEqual(body);
    expect(call.header("x-platform-signature")).toBe(hmac(body));
    expect(result.deliveries).toMatchObject([{ events, bytes: body.length }]);
  });

  it("replaces one of which the journal kept only the beginning", async () => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    const cut = recorded(`${run.app.url}/events`, { body: { base64: "e30=", size: 900 } });
    expect(await usageErrorOf(run.sim.replay(cut))).toMatchObject({
      code: "replay-cut-body",
      message: "of the 900 bytes of exchange recorded the journal kept 2",
    });
    expect(run.app.calls).toEqual([]);
    expect((await run.sim.replay(cut, { body: Buffer.from("{}") })).outcome).toBe("acknowledged");
  });
});

describe("which one", () => {
  it("an id of an exchange, its beginning, that of a delivery, or last", async () => {
    const journal = createJournal();
    await using app = await startFakeApp({ manifest: serves });
    app.answer(acknowledges);
    const sim = await assemble({ app: { url: app.url } }, { journal });
    const url = `${app.url}/events`;
    const make = (id: string, delivery: string, attempt: number) => {
      const body = recordBody(Buffer.from(JSON.stringify({ events: [id] })));
      return { ...recorded(url, { body }, id), delivery: { id: delivery, attempt } };
    };
    for (const record of [make("abcd", "one", 1), make("abef", "one", 2), make("wxyz", "two", 1), loginRecord("login")])
      journal.append(record);
    const replayed = async (wanted: string) => {
      await sim.replay(wanted);
      const sent = JSON.parse(String(app.calls.at(-1)?.body)) as { events: string[] };
      return sent.events[0];
    };
    // First, because every replay is the last delivery from then on.
    expect(await replayed("last")).toBe("wxyz");
    expect(await replayed("abcd")).toBe("abcd");
    expect(await replayed("wx")).toBe("wxyz");
    journal.append(make("zzzz", "one", 9));
    expect(await replayed("one")).toBe("zzzz");
    expect(lastDelivery(sim).delivery).toEqual({ id: "one", attempt: 10 });
    expect(await usageErrorOf(sim.replay("ab"))).toMatchObject({ code: "unknown-delivery" });
    expect(await usageErrorOf(sim.replay("nothing"))).toMatchObject({
      code: "unknown-delivery",
      message: 'replay(): the journal has no delivery "nothing"',
    });
  });

  it.each([
    [exchangeRecord("x"), "x is not a delivery (guard)", "app-sim guard"],
    [exchangeRecord("x", { purpose: "post-import" }), "x is not a delivery (post-import)", "app-sim post-import"],
    [exchangeRecord("x", { purpose: "manifest" }), "x is not a delivery (manifest)", "app-sim manifest"],
    [exchangeRecord("x", { purpose: "install" }), "x is not a delivery (install)", "app-sim install"],
    [exchangeRecord("x", { purpose: "token" }), "x is not a delivery (token)", "let the app send it again"],
    [loginRecord("x"), "x is not a delivery (login)", "app-sim guard"],
  ])("for something else, the hint names the command that repeats it: $1", async (record, message, hint) => {
    const journal = createJournal();
    journal.append(record);
    const sim = await assemble({ app: { url: "http://127.0.0.1:9" } }, { journal });
    const error = await usageErrorOf(sim.replay("x"));
    expect(error).toMatchObject({ code: "replay-no-delivery", message, hint: expect.stringContaining(hint) });
  });
});

describe("S28: a journal that was changed by hand", () => {
  it.each([
    ["another host", (url: string) => url.replace("127.0.0.1", "evil.example")],
    ["another port", (url: string) => url.replace(/:(\d+)/, (_, port) => `:${Number(port) - 1}`)],
    ["another name of this machine", (url: string) => url.replace("127.0.0.1", "localhost")],
    ["another scheme", (url: string) => url.replace("http:", "https:")],
    ["a user", (url: string) => url.replace("//", "//user@")],
    ["a host that looks like the app's", (url: string) => url.replace("http://", "http://evil.example/#")],
    ["the app's as a user", (url: string) => `${new URL(url).origin}@evil.example/events`],
    ["no address", () => "nowhere"],
    ["a file", () => "file:///etc/passwd"],
  ])("is refused with both addresses, and nothing is sent: %s", async (_, change) => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    const url = change(`${run.app.url}/events`);
    for (const options of [{}, { resign: true }, { body: Buffer.from("{}") }]) {
      const error = await usageErrorOf(run.sim.replay(recorded(url), options));
      expect(error).toMatchObject({ code: "replay-elsewhere", hint: expect.stringContaining("--app") });
      expect(error.message).toContain(run.app.url);
      expect(error.message).toMatch(/^exchange recorded went to \S+, but the app is at \S+: nothing was sent$/);
    }
    expect(run.app.calls).toEqual([]);
    expect(exchangesOf(run.sim, "webhook")).toEqual([]);
  });

  it("goes to each of several apps, signed with its secret", async () => {
    await using one = await startFakeApp();
    await using two = await startFakeApp();
    for (const app of [one, two]) app.answer(acknowledges);
    const apps = [
      { url: one.url, appSecret: "first-secret" },
      { url: `${two.url}/a`, appSecret: "second-secret" },
      { url: `${two.url}/ab`, appSecret: "third-secret" },
    ];
    const sim = await assemble({ apps });
    for (const url of [`${one.url}/events`, `${two.url}/ab/events`]) await sim.replay(recorded(url), { resign: true });
    const signed = (app: FakeApp, key: string) =>
      app.calls.map((call) => call.header("x-platform-signature") === hmac(call.body, key));
    expect([signed(one, "first-secret"), signed(two, "third-secret")]).toEqual([[true], [true]]);
  });

  it.each([
    ["a line break in a value", ["X-A", "b\r\nX-C: d"]],
    ["a line break in a name", ["X-A\r\nb", "c"]],
    ["no name", ["", "c"]],
    ["a header that no call can have", ["Upgrade", "h2c"]],
    ["characters that are no bytes", ["X-A", "☃"]],
  ] as const)("with invalid header lines is refused: %s", async (_, line) => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    const damaged = recorded(`${run.app.url}/events`, { headers: [line] });
    expect(await usageErrorOf(run.sim.replay(damaged))).toMatchObject({ code: "replay-damaged" });
    expect(run.app.calls).toEqual([]);
  });

  it("with a body that is not gzip as declared is still sent, but cannot be signed again", async () => {
    const choices = { "webhook.signature.gzip": "uncompressed" } as const;
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    const headers = [["Content-Encoding", "gzip"]] as const;
    const damaged = recorded(`${run.app.url}/events`, { headers });
    expect((await run.sim.replay(damaged)).deliveries).toMatchObject([{ events: 0, result: "acknowledged" }]);
    expect(await usageErrorOf(run.sim.replay(damaged, { resign: true }))).toMatchObject({ code: "replay-not-gzip" });
    const bomb = recorded(`${run.app.url}/events`, { headers, body: recordBody(gzipSync(Buffer.alloc(70_000_000))) });
    expect(await usageErrorOf(run.sim.replay(bomb, { resign: true }))).toMatchObject({ code: "replay-not-gzip" });
  });
});
