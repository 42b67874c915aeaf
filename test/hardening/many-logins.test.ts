import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppAnswer, type AppCall, systemClock } from "../../src/app-client/ports.ts";
import type { GuardRequest } from "../../src/guard/checks/verification.ts";
import type { LoginSession } from "../../src/index.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin, callbackQuery, refusalOf } from "../rig/logins.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// R34: very many logins at once.

const CODE = "c0de";
const manifest = manifestOf({ guards: [guardEntry("page", { type: "redirect", url: "/page" })] });
const addressOf = (login: number) => `10.0.${login >> 8}.${login & 255}`;

/** An app that answers at once, approves the code, and keeps nothing but what each user's login was asked. */
async function startQuickApp() {
  const codes = new Map<string, (string | null)[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { ipAddress, code }: GuardRequest = JSON.parse(Buffer.concat(chunks).toString());
    codes.set(ipAddress, [...(codes.get(ipAddress) ?? []), code ?? null]);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: code === CODE }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    codes,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** An app that answers nobody until it is told to, and counts connections. */
async function startHoldingApp() {
  const held = new Set<() => void>();
  const arrivals = new EventEmitter();
  const connections = { all: 0, most: 0 };
  let open = 0;
  let isHolding = true;
  const server = createServer((_, response) => {
    const answer = () => response.setHeader("content-type", "application/json").end("{}");
    if (!isHolding) return void answer();
    held.add(answer);
    arrivals.emit("call");
  });
  server.on("connection", (socket) => {
    open += 1;
    connections.all += 1;
    connections.most = Math.max(connections.most, open);
    socket.once("close", () => {
      open -= 1;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    /** Resolves once so many calls wait for their answer. */
    async holds(count: number) {
      while (held.size < count) await once(arrivals, "call");
    },
    letGo() {
      isHolding = false;
      for (const answer of held) answer();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What the process warns of while this is in use, such as more listeners than there should be. */
function watchWarnings() {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on("warning", onWarning);
  return { warnings, [Symbol.dispose]: () => void process.off("warning", onWarning) };
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

it("R34: 300 at the same time through the library: each has one outcome, one record and one state, used once", async () => {
  using watched = watchWarnings();
  using directory = makeTempDir();
  await using app = await startQuickApp();
  await using sim = await startPlatform({
    app: { url: app.url, manifest: directory.write("manifest.json", manifest) },
  });
  // Three times as many as may have a connection at a time.
  const count = 300;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const outcomes: string[] = [];
  const walk = async (login: LoginSession) => {
    const { state } = await awaitPage(login);
    const query = callbackQuery({ state, code: CODE });
    const arrivals = [sim.logins.callback("acme", query), sim.logins.callback("acme", query)];
    outcomes.push((await login.result).outcome);
    return { state, arrivals };
  };
  const walked = await Promise.all(
    numbers.map(async (index) =>
      walk(await begin(sim, { mfa: true, page: "wait", ipAddress: addressOf(index), fail: { mfa: index % 2 || 1 } })),
    ),
  );
  await tick();

  expect(outcomes).toEqual(Array(count).fill("granted"));
  expect(new Set(walked.map(({ state }) => state)).size).toBe(count);
  for (const { arrivals } of walked) {
    expect(arrivals.map(refusalOf)).toEqual([null, { status: 409, reason: "state-used" }]);
  }
  const records = sim.journal.list();
  const logins = records.filter((record) => record.type === "login");
  expect(logins.map(({ outcome }) => outcome)).toEqual(Array(count).fill("granted"));
  expect(new Set(logins.flatMap(({ exchanges }) => exchanges)).size).toBe(2 * count);
  expect(records).toHaveLength(3 * count);
  expect([...app.codes.keys()].sort()).toEqual(numbers.map(addressOf).sort());
  expect([...app.codes.values()]).toEqual(Array(count).fill([null, CODE]));
  expect(watched.warnings).toEqual([]);
});

describe("R34: simultaneous calls", () => {
  const AT_A_TIME = 100;
  const callOf = (url: string, signal?: AbortSignal): AppCall => ({
    method: "POST",
    url,
    headers: [],
    body: Buffer.from("{}"),
    timeoutMs: 10_000,
    sizeLimit: 10_000,
    signal,
  });
  const kindOf = (answer: AppAnswer) => (answer.ok ? "answered" : answer.outcome.kind);

  it("have a hundred connections at most, and all are answered", async () => {
    await using app = await startHoldingApp();
    const gateway = createAppGateway(systemClock);
    const calls = Array.from({ length: 350 }, () => gateway.call(callOf(app.url)));
    await app.holds(AT_A_TIME);
    app.letGo();
    expect((await Promise.all(calls)).map(kindOf)).toEqual(Array(350).fill("answered"));
    expect(app.connections).toEqual({ all: 350, most: AT_A_TIME });
  });

  it("have their time limit from their start: waiting for a turn does not count", async () => {
    await using app = await startFakeApp();
    app.answer((call) => (call.path === "/held" ? call.hang() : call.reply({})));
    const gateway = createAppGateway(systemClock);
    const held = Array.from({ length: AT_A_TIME }, () =>
      gateway.call({ ...callOf(`${app.url}/held`), timeoutMs: 1_500 }),
    );
    const waiting = gateway.call({ ...callOf(`${app.url}/quick`), timeoutMs: 1_400 });
    expect(kindOf(await waiting)).toBe("answered");
    expect((await Promise.all(held)).map(kindOf)).toEqual(Array(AT_A_TIME).fill("timed-out"));
  });

  it("all end immediately when they are interrupted, and waiting ones make no connection", async () => {
    await using app = await startHoldingApp();
    const stop = new AbortController();
    const gateway = createAppGateway(systemClock);
    const calls = Array.from({ length: 250 }, () => gateway.call(callOf(app.url, stop.signal)));
    await app.holds(AT_A_TIME);
    stop.abort();
    expect((await Promise.all(calls)).map(kindOf)).toEqual(Array(250).fill("interrupted"));
    expect(app.connections.all).toBe(AT_A_TIME);
  });
});
