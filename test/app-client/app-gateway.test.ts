import dns from "node:dns";
import { getEventListeners, once } from "node:events";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { explainOutcome } from "../../src/app-client/explain-outcome.ts";
import { type AppCall, type Clock, systemClock } from "../../src/app-client/ports.ts";
import type { FailedOutcome, Outcome } from "../../src/journal/exchange.ts";
import { type FakeApp, type ReplyOptions, startFakeApp, startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { selfSigned } from "../rig/self-signed.ts";

const hasIpv6Loopback = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

/** One address or two, depending on the machine. */
const localhostAddresses = await dns.promises.lookup("localhost", { all: true });

const OK = "HTTP/1.1 200 OK\r\n";

/** A POST of `{}` whose limits no test reaches, but for the given properties. */
function call(url: string, options: Partial<AppCall> = {}, clock: Clock = systemClock) {
  return createAppGateway(clock).call({
    method: "POST",
    url,
    headers: [],
    body: Buffer.from("{}"),
    timeoutMs: 10_000,
    sizeLimit: 10_000,
    ...options,
  });
}

type Answer = Awaited<ReturnType<typeof call>>;

/** The outcome as the journal has it, shown to be one that can be explained in one line. */
function outcomeOf(answer: Answer): Outcome {
  if (answer.ok) return { kind: "answered" };
  const { reason } = explainOutcome(answer.outcome, "http://127.0.0.1/");
  expect(reason).toMatch(/^[^\p{Cc}\u2028\u2029]+$/u);
  if ("detail" in answer.outcome) expect(answer.outcome.detail).toMatch(/^\S([^\p{Cc}\u2028\u2029]*\S)?$/u);
  return answer.outcome;
}

/** What comes of a call that the app answers with these bytes, and then the end of the connection. */
async function callAnswered(bytes: string | Buffer, options?: Partial<AppCall>): Promise<Answer> {
  await using app = await startFakeApp();
  app.answer((received) => received.raw(bytes));
  return await call(app.url, options);
}

/** What comes of a call that the app answers with a well-formed reply. */
async function callReplied(body: string | Buffer, reply: ReplyOptions, options?: Partial<AppCall>): Promise<Answer> {
  await using app = await startFakeApp();
  app.answer((received) => received.send(body, reply));
  return await call(app.url, options);
}

/** Opens a free port for the server; its connections are kept track of. */
async function listen(server: Server, host = "127.0.0.1", wantedPort = 0) {
  const sockets: Socket[] = [];
  const closed: Promise<void>[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket.on("error", () => {}));
    closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
  });
  server.listen(wantedPort, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    sockets,
    port,
    http: `http://${address}`,
    https: `https://${address}`,
    /** Resolves with the number of open connections, once those that are about to end have ended. */
    async connections(): Promise<number> {
      await Promise.all(closed);
      return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    },
    async [Symbol.asyncDispose]() {
      const end = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await end;
    },
  };
}

/** A port at which nothing listens, neither at 127.0.0.1 nor at ::1. */
async function unusedPortOfBothFamilies(): Promise<number> {
  const port = await unusedPort();
  const other = createServer().listen(port, "::1");
  try {
    await once(other, "listening");
  } catch {
    return unusedPortOfBothFamilies();
  }
  other.close();
  await once(other, "close");
  return port;
}

function listenSecurely(options: { requestCert?: boolean } = {}) {
  return listen(createHttpsServer({ ...selfSigned(), ...options }, (_request, response) => response.end("secure")));
}

/** For this test; NODE_EXTRA_CA_CERTS would be read only when the process starts. */
function trustEveryCertificate(): void {
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("an answer", () => {
  it("carries status, raw header lines, body and timings", async () => {
    const head =
      "HTTP/1.1 201 Created\r\nSet-Cookie: a=1\r\nX-Name: \xe9\r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\n";
    const answer = await callAnswered(Buffer.from(`${head}hello`, "latin1"));
    expect(answer).toMatchObject({ ok: true, body: Buffer.from("hello") });
    expect(answer.response).toEqual({
      status: 201,
      headers: [
        ["Set-Cookie", "a=1"],
        ["X-Name", "é"],
        ["set-cookie", "b=2"],
        ["Content-Length", "5"],
      ],
      raw: Buffer.from("hello"),
      size: 5,
    });
    const { connectMs, headersMs, totalMs } = answer.timings;
    expect(connectMs).toBeGreaterThan(0);
    expect(headersMs).toBeGreaterThanOrEqual(connectMs ?? Number.NaN);
    expect(totalMs).toBeGreaterThanOrEqual(headersMs ?? Number.NaN);
    expect(answer.timings).not.toHaveProperty("tlsMs");
  });

  it.each([204, 304])("%d has no body, whatever its Content-Length says", async (status) => {
    const answer = await callAnswered(`HTTP/1.1 ${status} None\r\ncontent-length: 10\r\n\r\n`);
    expect(answer).toMatchObject({ ok: true, response: { status, size: 0 }, body: Buffer.alloc(0) });
  });

  it("may follow early hints", async () => {
    const answer = await callAnswered(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 2\r\n\r\nhi`);
    expect(answer).toMatchObject({ ok: true, response: { status: 200, headers: [["content-length", "2"]] } });
  });

  it("R7: HTTP/1.0, whose body ends with the connection, is accepted", async () => {
    const answer = await callAnswered("HTTP/1.0 200 OK\r\n\r\nhello");
    expect(answer).toMatchObject({ ok: true, body: Buffer.from("hello") });
  });

  it.each([
    [301, "Location"],
    [302, "Location"],
    [307, "Location"],
    [308, "Location"],
    [300, "Content-Location"],
    [200, "Refresh"],
  ])("R13, S18: %d with %s is the answer; its target hears nothing", async (status, name) => {
    await using canary = await startFakeApp();
    await using app = await startFakeApp();
    app.answer((received) => received.send("", { status, headers: { [name]: `${canary.url}/stolen` } }));
    const answer = await call(app.url, { headers: [["Authorization", "Bearer secret"]] });
    expect(answer).toMatchObject({ ok: true, response: { status } });
    expect([app.calls.length, canary.calls.length]).toEqual([1, 0]);
  });
});

describe("a request", () => {
  async function received(options: Partial<AppCall>, path = "") {
    await using app = await startFakeApp();
    app.answer((request) => request.reply({}));
    const answer = await call(`${app.url}${path}`, options);
    expect(app.calls).toHaveLength(1);
    return { answer, request: app.calls[0] as FakeApp["calls"][number] };
  }

  it.each([
    ["UTF-8 and escapes", Buffer.from('{"a":"é 😀 / \\/ \u2028 \\u00e9","b": 1.0 }\n')],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ["a part of a larger buffer", new Uint8Array(Buffer.from("before{}after").buffer, 6, 2)],
    ["5 MiB", Buffer.alloc(5_242_880, "é")],
  ])("body arrives byte for byte: %s", async (_name, body) => {
    const { request } = await received({ body });
    expect(request.body.equals(body)).toBe(true);
  });

  it.each([
    { method: "POST", body: '{"userId":1}' },
    { method: "POST", body: "" },
    { method: "GET", body: "" },
    { method: "GET", body: "x" },
  ] as const)("sentHeaders are the header lines that arrived: $method with body '$body'", async ({ method, body }) => {
    const headers = [
      ["Authorization", "Bearer a.b.c"],
      ["X-Platform-Signature", "0f"],
      ["accept-encoding", "identity"],
      ["X-Twice", "1"],
      ["x-twice", "2"],
    ] as const;
    const { answer, request } = await received({ method, headers, body: Buffer.from(body) });
    expect(request.method).toBe(method);
    expect(answer.sentHeaders).toEqual(request.headers);
    expect(request.headers.slice(2, 7)).toEqual(headers);
    expect(request.header("connection")).toBe("close");
    expect(request.header("content-length")).toBe(method === "GET" && body === "" ? undefined : String(body.length));
  });

  it("path and query arrive as they are", async () => {
    const { request } = await received({}, "//a/%2F/b%20c;d?e=%26&f=a+b&g#h");
    expect(request.path).toBe("//a/%2F/b%20c;d?e=%26&f=a+b&g");
  });

  it.skipIf(!hasIpv6Loopback)("R39: reaches an IPv6 address", async () => {
    await using app = await startFakeApp({ host: "::1" });
    app.answer((request) => request.reply("six"));
    const answer = await call(`${app.url}/guard`);
    expect(answer).toMatchObject({ ok: true, body: Buffer.from('"six"') });
    expect(answer.sentHeaders).toEqual(app.calls[0]?.headers);
    expect(app.calls[0]?.header("host")).toBe(`[::1]:${app.port}`);
  });

  it("R39: reaches the app by name, on whichever family it listens", async () => {
    await using app = await startFakeApp();
    app.answer((request) => request.reply({}));
    expect(await call(`http://localhost:${app.port}`)).toMatchObject({ ok: true });
  });

  it("R39: goes past the proxy of the environment", async () => {
    await using proxy = await startFakeApp();
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"]) vi.stubEnv(name, proxy.url);
    for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    expect((await received({})).answer.ok).toBe(true);
    expect(proxy.calls).toEqual([]);
  });

  it.each([
    ["a URL that is not http(s)", { url: "ftp://127.0.0.1/" }],
    ["a header with a line break", { headers: [["x", "a\r\nb: c"]] }],
    ["a header name with a space", { headers: [["a b", "c"]] }],
  ] as const)("that cannot be sent is our bug, not an outcome: %s", async (_name, options) => {
    await expect(call("http://127.0.0.1/", options)).rejects.toThrow(/invalid/i);
  });
});

describe("no connection", () => {
  it("R2: nothing listens", async () => {
    const outcome = outcomeOf(await call(`http://127.0.0.1:${await unusedPort()}`));
    expect(outcome).toMatchObject({ kind: "unreachable", code: "ECONNREFUSED", elsewhere: null });
  });

  it.skipIf(!hasIpv6Loopback).each(["http", "https"])(
    "R2: nothing listens at any address of a name (%s)",
    async (protocol) => {
      const port = await unusedPortOfBothFamilies();
      const addresses = ["127.0.0.1", "::1"].map((address) => ({ address, family: address === "::1" ? 6 : 4 }));
      const lookup = (...rest: unknown[]) => (rest.at(-1) as (error: null, found: unknown) => void)(null, addresses);
      vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
      const outcome = outcomeOf(await call(`${protocol}://twice.invalid:${port}`));
      expect(outcome).toMatchObject({
        kind: "unreachable",
        code: "ECONNREFUSED",
        detail: expect.stringMatching(/127|::1/),
      });
    },
  );

  it("R2: the name cannot be resolved", async () => {
    const outcome = outcomeOf(await call("http://does-not-exist.invalid/"));
    expect(outcome).toMatchObject({ kind: "unreachable", code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });

  it.skipIf(!hasIpv6Loopback).each([
    { host: "::1", called: "127.0.0.1", where: "[::1]" },
    // Where the name stands for both, the call succeeds.
    ...(localhostAddresses.every(({ family }) => family === 4)
      ? [{ host: "::1", called: "localhost", where: "[::1]" }]
      : []),
    { host: "127.0.0.1", called: "[::1]", where: "127.0.0.1" },
  ])("R3: the app listens on $host while $called is called", async ({ host, called, where }) => {
    let heard = 0;
    const count = (bytes: Buffer) => {
      heard += bytes.length;
    };
    await using app = await listen(
      createServer((socket) => socket.on("data", count)),
      host,
      await unusedPortOfBothFamilies(),
    );
    const outcome = outcomeOf(await call(`http://${called}:${app.port}`));
    expect(outcome).toMatchObject({ kind: "unreachable", elsewhere: `http://${where}:${app.port}` });
    expect([await app.connections(), heard]).toEqual([0, 0]);
  });
});

describe("TLS", () => {
  it("an https app whose certificate is trusted answers", async () => {
    await using app = await listenSecurely();
    trustEveryCertificate();
    const answer = await call(app.https);
    expect(answer).toMatchObject({ ok: true, body: Buffer.from("secure") });
    const { connectMs = Number.NaN, tlsMs = Number.NaN, headersMs } = answer.timings;
    expect(tlsMs).toBeGreaterThan(connectMs);
    expect(headersMs).toBeGreaterThanOrEqual(tlsMs);
    await expect.poll(() => app.connections()).toBe(0);
  });

  it("S22: a self-signed certificate is refused", async () => {
    await using app = await listenSecurely();
    const outcome = outcomeOf(await call(app.https));
    expect(outcome).toMatchObject({ kind: "tls-failed", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  it("an app that wants a client certificate refuses after the handshake", async () => {
    await using app = await listenSecurely({ requestCert: true });
    trustEveryCertificate();
    expect(outcomeOf(await call(app.https))).toEqual({
      kind: "tls-failed",
      code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
      detail: "tlsv13 alert certificate required",
    });
  });

  it("R8: plain HTTP on an https port", async () => {
    await using app = await startFakeApp();
    const answer = await call(app.url.replace("http:", "https:"));
    const outcome = outcomeOf(answer);
    expect(outcome).toMatchObject({ kind: "tls-failed", code: expect.stringMatching(/WRONG_VERSION|PACKET_LENGTH/) });
    if (!answer.ok) expect(explainOutcome(answer.outcome, "https://a").hint).toContain("http://");
  });

  it("R8: TLS on an http port", async () => {
    await using app = await listenSecurely();
    const outcome = outcomeOf(await call(app.http));
    expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(disconnected|not-http)$/), expectsTls: true });
  });

  it.each([
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
    ["end", (socket: Socket) => socket.end()],
  ])("%s in the middle of the handshake", async (_name, leave) => {
    const server = createServer((socket) => socket.once("data", () => leave(socket)));
    await using app = await listen(server);
    expect(outcomeOf(await call(app.https))).toMatchObject({ kind: "tls-failed", code: "ECONNRESET" });
  });
});

describe("R5: a connection that breaks", () => {
  it("before the headers", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.reset());
    const answer = await call(app.url);
    expect(outcomeOf(answer)).toMatchObject({ kind: "disconnected", phase: "headers" });
    expect([answer.response, answer.timings.headersMs, app.calls.length]).toEqual([null, null, 1]);
  });

  it("is not retried automatically, not even for a GET", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.reset());
    await call(app.url, { method: "GET", body: new Uint8Array() });
    expect(app.calls).toHaveLength(1);
  });

  it("in the middle of the body: what arrived is kept", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.sendThenReset('{"succ', 16));
    const answer = await call(app.url);
    expect(outcomeOf(answer)).toMatchObject({ kind: "disconnected", phase: "body" });
    expect(answer.response).toMatchObject({ status: 200, raw: Buffer.from('{"succ'), size: 6 });
  });

  it.each([
    ["of unknown length", `${OK}connection: close\r\n\r\n{"succ`],
    ["of unknown length in HTTP/1.0", 'HTTP/1.0 200 OK\r\n\r\n{"succ'],
    ["in chunks", `${OK}connection: close\r\ntransfer-encoding: chunked\r\n\r\n6\r\n{"succ\r\n`],
    ["of known length", `${OK}connection: close\r\ncontent-length: 16\r\n\r\n{"succ`],
  ])("by a reset in the middle of a body %s", async (_name, bytes) => {
    await using app = await startFakeApp();
    app.answer((received) => {
      received.raw(bytes, { end: false });
      // After one more poll for I/O, in which the gateway reads the bytes: a reset drops what is not read yet.
      setImmediate(() => setImmediate(() => received.reset()));
    });
    const answer = await call(app.url);
    expect(outcomeOf(answer)).toEqual({ kind: "disconnected", phase: "body", detail: "read ECONNRESET" });
    expect(answer.response?.raw.toString()).toBe('{"succ');
  });
});

describe("S19: the time limit is for the whole call", () => {
  it.each(["http", "https"] as const)("R6: a silent port (%s)", async (protocol) => {
    await using silent = await startSilentPort();
    const answer = await call(silent.url.replace("http", protocol), { timeoutMs: 150 });
    const phase = protocol === "http" ? "headers" : "connect";
    expect(outcomeOf(answer)).toEqual({ kind: "timed-out", phase, limitMs: 150 });
    expect([answer.response, answer.timings.headersMs]).toEqual([null, null]);
    expect(answer.timings).toHaveProperty("connectMs");
    expect(answer.timings).not.toHaveProperty("tlsMs");
  });

  it("R6: the app never answers", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.hang());
    const answer = await call(app.url, { timeoutMs: 150 });
    expect(outcomeOf(answer)).toEqual({ kind: "timed-out", phase: "headers", limitMs: 150 });
    await app.calls[0]?.closed;
  });

  it("R6: headers come one byte at a time", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.dripHeaders(20));
    const answer = await call(app.url, { timeoutMs: 300 });
    expect(outcomeOf(answer)).toEqual({ kind: "timed-out", phase: "headers", limitMs: 300 });
    await app.calls[0]?.closed;
  });

  it("R6: the body comes one byte at a time", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.drip("x", 20));
    const answer = await call(app.url, { timeoutMs: 400 });
    expect(outcomeOf(answer)).toEqual({ kind: "timed-out", phase: "body", limitMs: 400 });
    expect(answer.response).toMatchObject({ status: 200, raw: expect.any(Buffer) });
    expect(answer.response?.raw.toString()).toBe("x".repeat(answer.response?.size ?? -1));
    await app.calls[0]?.closed;
  });

  it("R6: the body stalls", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.raw(`${OK}content-length: 10\r\n\r\nabc`, { end: false }));
    const answer = await call(app.url, { timeoutMs: 300 });
    expect(outcomeOf(answer)).toEqual({ kind: "timed-out", phase: "body", limitMs: 300 });
    expect(answer.response).toMatchObject({ raw: Buffer.from("abc"), size: 3 });
    await app.calls[0]?.closed;
  });
});

describe("an answer that HTTP does not allow", () => {
  const chunked = `${OK}transfer-encoding: chunked\r\n\r\n`;

  it.each([
    ["R8: garbage", "\x16\x03\x01 no http at all", "not-http"],
    ["R8: a TLS alert", Buffer.from("15030100020246", "hex"), "not-http"],
    ["R8: another protocol", "220 mail.example ESMTP\r\n", "not-http"],
    ["R8: a bad chunk size", `${chunked}3\r\nabc\r\nzz\r\n`, "not-http"],
    ["R8: no byte at all", "", "disconnected"],
    ["R8: headers without an end", `${OK}content-len`, "disconnected"],
    ["R9: a short body", `${OK}content-length: 10\r\n\r\nabc`, "disconnected"],
    ["R9: a short body, connection: close", `${OK}connection: close\r\ncontent-length: 10\r\n\r\nabc`, "disconnected"],
    ["R9: a missing last chunk", `${chunked}3\r\nabc\r\n`, "disconnected"],
    [
      "R9: a missing last chunk, connection: close",
      `${OK}connection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`,
      "disconnected",
    ],
    [
      "R9: Content-Length before Transfer-Encoding",
      `${OK}content-length: 3\r\n${chunked.slice(OK.length)}`,
      "not-http",
    ],
    [
      "R9: Transfer-Encoding before Content-Length",
      `${OK}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n`,
      "not-http",
    ],
    ["R9: two Content-Lengths", `${OK}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`, "not-http"],
    ["R9: an enormous Content-Length", `${OK}content-length: 99999999999999999999\r\n\r\nabc`, "not-http"],
    ["R10: status 099", "HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n", "not-http"],
    ["R10: status 1000", "HTTP/1.1 1000 Odd\r\ncontent-length: 0\r\n\r\n", "not-http"],
    ["R10: an uninvited 100", `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 0\r\n\r\n`, "not-http"],
    ["R10: an uninvited 101", "HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "not-http"],
    [
      "R10: processing and early hints",
      `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\n\r\n${OK}content-length: 0\r\n\r\n`,
      "answered",
    ],
    ["R10: early hints and no more", "HTTP/1.1 103 Early Hints\r\n\r\n", "disconnected"],
    ["R10: a bare 101", "HTTP/1.1 101 S\r\n\r\n", "not-http"],
    ["R11: 5000 headers", `${OK}${"x-many: yes\r\n".repeat(5000)}\r\n`, "not-http"],
    ["R11: an endless header", `${OK}x: ${"y".repeat(100_000)}`, "not-http"],
  ])("%s", async (_name, bytes, kind) => {
    const answer = await callAnswered(bytes);
    expect(outcomeOf(answer).kind).toBe(kind);
  });

  it("R8: a server that speaks only HTTP/2 is reported as such, and non-HTTP without words of the parser", async () => {
    const server = createHttp2Server();
    await using app = await listen(server);
    const explained = (outcome: Outcome) =>
      explainOutcome(outcome as FailedOutcome, "http://127.0.0.1:3000/x", undefined, () => false);
    const { reason, hint } = explained(outcomeOf(await call(app.http)));
    expect(reason).toBe("the server at http://127.0.0.1:3000 speaks only HTTP/2, and app-sim speaks HTTP/1.1");
    expect(hint).toMatch(/^make it speak HTTP\/1\.1, in Node with http\.createServer/);
    const mail = explained(outcomeOf(await callAnswered("220 mail.example ESMTP\r\n")));
    expect(mail.reason).toMatch(/is not HTTP: [^()]*$/);
  });

  it("R8, R9: keeps what arrived before the fault, and names the phase", async () => {
    const bad = await callAnswered(`${chunked}3\r\nabc\r\nzz\r\n`);
    expect(bad.response).toMatchObject({ status: 200, raw: Buffer.from("abc"), size: 3 });
    const short = await callAnswered(`${OK}content-length: 10\r\n\r\nabc`);
    expect(outcomeOf(short)).toMatchObject({ phase: "body" });
    expect(short.response).toMatchObject({ status: 200, raw: Buffer.from("abc"), size: 3 });
    for (const bytes of [`${OK}content-len`, "HTTP/1.1 103 Early Hints\r\n\r\n"]) {
      const none = await callAnswered(bytes);
      expect(outcomeOf(none)).toMatchObject({ phase: "headers" });
      expect([none.response, none.timings.headersMs]).toEqual([null, null]);
    }
  });

  it("R9: what follows the announced length is no part of the body", async () => {
    const answer = await callAnswered(`${OK}content-length: 3\r\n\r\nabc${OK}content-length: 2\r\n\r\nno`);
    expect(answer).toMatchObject({ ok: true, body: Buffer.from("abc") });
  });

  it("R10: status 999 is an answer", async () => {
    const answer = await callAnswered("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n");
    expect(answer).toMatchObject({ ok: true, response: { status: 999 } });
  });

  it("R8 to R11: whatever bytes come, then the end: an outcome with one line of detail", async () => {
    let bytes = Buffer.alloc(0);
    await using app = await listen(createServer((socket) => socket.once("data", () => socket.end(bytes))));
    const part = fc.oneof(
      fc.constantFrom(
        ...[OK, "HTTP/1.0 204 N\r\n", "HTTP/1.1 100 C\r\n\r\n", "HTTP/1.1 101 S\r\n", "HTTP/1.1 304 N\r\n"],
        ...[
          "content-length: 3\r\n",
          "content-length: 0\r\n",
          "transfer-encoding: chunked\r\n",
          "connection: close\r\n",
        ],
        ...["connection: upgrade\r\nupgrade: x\r\n", "content-encoding: gzip\r\n", "x: y\r\n", " folded\r\n"],
        ...["\r\n", "\r\n", "\n", "\0", "abc", "3\r\nabc\r\n", "0\r\n\r\n", "0\r\nx: y\r\n\r\n", "a".repeat(20_000)],
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    const random = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array));
    const gzipped = random.map((body) =>
      Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\n\r\n`), gzipSync(body)]),
    );
    const composed = fc.array(part, { maxLength: 8 }).map((parts) => Buffer.from(parts.join("")));
    const answered = composed.map((rest) => Buffer.concat([Buffer.from(OK), rest]));
    await fc.assert(
      fc.asyncProperty(fc.oneof(random, composed, answered, gzipped), async (any) => {
        bytes = any;
        const answer = await call(app.http);
        expect(["answered", "disconnected", "not-http", "too-large", "undecodable"]).toContain(outcomeOf(answer).kind);
        if (answer.ok) expect(answer.body.length).toBeLessThanOrEqual(10_000);
      }),
      { numRuns: 60 },
    );
  });
});

describe("content codings", () => {
  const text = Buffer.from('{"success":true}');

  it.each([
    ["gzip", gzipSync(text)],
    ["GZip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["identity, gzip", gzipSync(text)],
    ["identity", text],
    ["", text],
  ])("R14: '%s' is decoded, the raw bytes are kept", async (encoding, raw) => {
    const answer = await callReplied(raw, { headers: { "content-encoding": encoding } });
    expect(answer).toMatchObject({ ok: true, body: text, response: { raw, size: raw.length } });
  });

  it.each([
    ["S16: br", "br", brotliCompressSync(text)],
    ["deflate", "deflate", deflateSync(text)],
    ["unknown", "rot13", text],
    ["S17: gzip twice", "gzip, gzip", gzipSync(gzipSync(text))],
    ["S17: gzip and br", "gzip, br", brotliCompressSync(gzipSync(text))],
    ["S17: 1000 codings", Array(1000).fill("gzip").join(", "), gzipSync(text)],
    ["invalid gzip", "gzip", text],
    ["gzip cut short", "gzip", gzipSync(text).subarray(0, -9)],
  ])("R14: undecodable: %s", async (_name, encoding, raw) => {
    const answer = await callReplied(raw, { headers: { "content-encoding": encoding } });
    expect(outcomeOf(answer)).toMatchObject({ kind: "undecodable", encoding });
    expect(answer.response).toMatchObject({ raw, size: raw.length });
  });

  it("S17: two codings on two lines are two", async () => {
    const answer = await callReplied(gzipSync(gzipSync(text)), { headers: { "Content-Encoding": ["gzip", "GZIP"] } });
    expect(outcomeOf(answer)).toMatchObject({ kind: "undecodable", encoding: "gzip, gzip" });
  });

  it("R14: an empty body has no coding", async () => {
    const answer = await callReplied("", { status: 204, headers: { "content-encoding": "br" } });
    expect(answer).toMatchObject({ ok: true, body: Buffer.alloc(0) });
  });

  it.each([
    [10_000, { kind: "answered" }],
    [10_001, { kind: "too-large", limit: 10_000, decoded: true }],
    [5_000_000, { kind: "too-large", limit: 10_000, decoded: true }],
  ])("S17: gzip of %d bytes, the limit being 10000", async (size, outcome) => {
    const raw = gzipSync(Buffer.alloc(size));
    const answer = await callReplied(raw, { headers: { "content-encoding": "gzip" } }, { sizeLimit: 10_000 });
    expect(outcomeOf(answer)).toEqual(outcome);
    expect(answer.response).toMatchObject({ raw, size: raw.length });
    if (answer.ok) expect(answer.body).toHaveLength(size);
  });
});

describe("S20: the size limit", () => {
  const limit = 5_000;
  const framings = {
    "with Content-Length": (size: number) => `${OK}content-length: ${size}\r\n\r\n${"x".repeat(size)}`,
    "in chunks": (size: number) =>
      `${OK}transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n${"x".repeat(size)}\r\n0\r\n\r\n`,
    "until the end": (size: number) => `${OK}connection: close\r\n\r\n${"x".repeat(size)}`,
  };

  describe.each(Object.entries(framings))("%s", (_name, frame) => {
    it("is met exactly", async () => {
      const answer = await callAnswered(frame(limit), { sizeLimit: limit });
      expect(answer).toMatchObject({ ok: true, response: { size: limit } });
    });

    it("is passed by one byte", async () => {
      const answer = await callAnswered(frame(limit + 1), { sizeLimit: limit });
      expect(outcomeOf(answer)).toEqual({ kind: "too-large", limit, decoded: false });
      expect(answer.response).toMatchObject({ status: 200, size: limit + 1 });
      expect(answer.response?.raw.length).toBeLessThanOrEqual(limit);
    });
  });

  it("ends an answer that has no end", async () => {
    const flood = (socket: Socket) => {
      const block = Buffer.alloc(65_536, "x");
      const pour = () => {
        while (!socket.destroyed && socket.write(block)) {}
      };
      socket.once("data", () => {
        socket.on("drain", pour).write(`${OK}connection: close\r\n\r\n`);
        pour();
      });
    };
    await using app = await listen(createServer(flood));
    expect(outcomeOf(await call(app.http))).toEqual({ kind: "too-large", limit: 10_000, decoded: false });
    await expect.poll(() => app.connections()).toBe(0);
  });
});

describe("interrupted", () => {
  it("before the call: the app hears nothing", async () => {
    await using app = await listen(createServer((socket) => socket.end(`${OK}content-length: 0\r\n\r\n`)));
    const answer = await call(app.http, { signal: AbortSignal.abort() });
    expect(outcomeOf(answer)).toEqual({ kind: "interrupted" });
    expect(answer.response).toBeNull();
    // Connections are accepted in their order: a second call comes after what the first may have left.
    await call(app.http);
    expect(app.sockets).toHaveLength(1);
  });

  it("while it connects", async () => {
    const server = createServer((socket) => socket.resume());
    await using app = await listen(server);
    const interrupt = new AbortController();
    const answer = call(app.https, { signal: interrupt.signal });
    await once(server, "connection");
    interrupt.abort();
    expect(outcomeOf(await answer)).toEqual({ kind: "interrupted" });
    await expect.poll(() => app.connections()).toBe(0);
  });

  it("while it waits for the answer", async () => {
    await using app = await startFakeApp();
    const interrupt = new AbortController();
    const answer = call(app.url, { signal: interrupt.signal });
    const received = await app.nextCall();
    interrupt.abort();
    expect(outcomeOf(await answer)).toEqual({ kind: "interrupted" });
    await received.closed;
  });

  it("while the answer comes", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.drip("x", 5));
    const interrupt = new AbortController();
    let looks = 0;
    const monotonic = () => {
      // The third look at the clock is when the headers have come, after that at the connection.
      looks += 1;
      if (looks === 3) interrupt.abort();
      return performance.now();
    };
    const answer = await call(app.url, { signal: interrupt.signal }, { ...systemClock, monotonic });
    expect(outcomeOf(answer)).toEqual({ kind: "interrupted" });
    expect(answer.response).toMatchObject({ status: 200 });
    await app.calls[0]?.closed;
  });

  it("by one signal, many calls at once", async () => {
    await using app = await startFakeApp();
    const warnings: Error[] = [];
    const listener = (warning: Error) => void warnings.push(warning);
    process.on("warning", listener);
    const interrupt = new AbortController();
    const answers = Array.from({ length: 30 }, () => call(app.url, { signal: interrupt.signal }));
    for (const _ of answers) await app.nextCall();
    interrupt.abort();
    expect((await Promise.all(answers)).map((answer) => outcomeOf(answer).kind)).toEqual(Array(30).fill("interrupted"));
    process.off("warning", listener);
    expect(warnings).toEqual([]);
  });
});

describe("afterwards", () => {
  it("many calls at once got each its own answer, and no connection is left", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.reply(received.json()));
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((number) => call(app.url, { body: Buffer.from(String(number)) })));
    expect(answers.map((answer) => answer.ok && JSON.parse(answer.body.toString()))).toEqual(numbers);
    await Promise.all(app.calls.map((received) => received.closed));
  });

  it.each([
    ["answered", `${OK}content-length: 2\r\n\r\nhi`, {}],
    ["answered", `${OK}connection: keep-alive\r\nkeep-alive: timeout=60\r\ncontent-length: 2\r\n\r\nhi`, {}],
    ["not-http", "garbage", {}],
    ["too-large", `${OK}content-length: 100\r\n\r\nabc`, { sizeLimit: 2 }],
    ["timed-out", "", { timeoutMs: 100 }],
    ["timed-out", `${OK}content-length: 100\r\n\r\nabc`, { timeoutMs: 100 }],
  ] as const)("%s: neither connections nor timers are left", async (kind, bytes, options) => {
    const server = createServer((socket) => socket.once("data", () => socket.write(bytes)).resume());
    await using app = await listen(server);
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    const calls = Array.from({ length: 50 }, () => call(app.http, { timeoutMs: 3_600_000, ...options }));
    for (const answer of await Promise.all(calls)) expect(outcomeOf(answer).kind).toBe(kind);
    // Timers of the test runner come and go meanwhile.
    expect(timers() - before).toBeLessThan(25);
    await expect.poll(() => app.connections()).toBe(0);
  });

  it("an app that gets no TLS handshake from its side is left alone", async () => {
    await using app = await listen(createServer((socket) => socket.resume()));
    expect(outcomeOf(await call(app.https, { timeoutMs: 100 })).kind).toBe("timed-out");
    await expect.poll(() => app.connections()).toBe(0);
  });
});

it("a call waits before it connects, sends its head and its last byte, and its body has the length that it says", async () => {
  await using app = await startFakeApp();
  const seen: string[] = [];
  const pause = (name: string) => async () => void seen.push(name);
  const called = call(app.url, {
    body: Buffer.from("12345"),
    pauses: {
      beforeConnect: pause("connect"),
      connectEnded: () => void seen.push("connected"),
      beforeHead: pause("head"),
      beforeLastByte: pause("last byte"),
    },
  });
  const received = await app.nextCall();
  received.reply({});
  await called;
  expect([received.body.toString(), received.header("content-length"), seen]).toEqual([
    "12345",
    "5",
    ["connect", "connected", "head", "last byte"],
  ]);
});

it("leaves nothing behind on a signal that lives longer than its calls", async () => {
  const { signal } = new AbortController();
  await callReplied("{}", {}, { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
