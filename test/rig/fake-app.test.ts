import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import {
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  startSilentPort,
  unusedPort,
  webhookEntry,
} from "./fake-app.ts";

const hasIpv6Loopback = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

function ask(url: string, options: RequestOptions = {}, body: string | Buffer = ""): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end(body);
  });
}

async function post(url: string, body: string | Buffer = ""): Promise<IncomingMessage> {
  return ask(url, { method: "POST" }, body);
}

async function text(response: IncomingMessage): Promise<string> {
  return (await buffer(response)).toString();
}

/** A plain TCP peer that has sent one request. */
function rawGet(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET / HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  return socket;
}

describe("a call", () => {
  it("shows method, path with query, header lines and body exactly as sent", async () => {
    await using app = await startFakeApp();
    const bytes = Buffer.from([0xff, 0x00, 0x7b]);
    const answer = ask(
      `${app.url}/guard?a=1&a=%20`,
      { method: "PUT", headers: { "X-Module-Key": "k", "x-twice": ["1", "2"] } },
      bytes,
    );
    const call = await app.nextCall();
    expect(call.method).toBe("PUT");
    expect(call.path).toBe("/guard?a=1&a=%20");
    expect(call.headers).toEqual(
      expect.arrayContaining([
        ["X-Module-Key", "k"],
        ["x-twice", "1"],
        ["x-twice", "2"],
      ]),
    );
    expect(call.header("x-module-KEY")).toBe("k");
    expect(call.header("X-Twice")).toBe("1");
    expect(call.header("absent")).toBeUndefined();
    expect(call.body).toEqual(bytes);
    expect(() => call.json()).toThrow(SyntaxError);
    call.reply({});
    await answer;
  });

  it("gives the JSON of its body", async () => {
    await using app = await startFakeApp();
    const answer = post(app.url, '{"userId":1}');
    const call = await app.nextCall();
    expect(call.json()).toEqual({ userId: 1 });
    call.reply({});
    await answer;
  });

  it("is queued when it comes early and waited for when it comes late, in order", async () => {
    await using app = await startFakeApp();
    const early = post(`${app.url}/early`);
    const first = await app.nextCall();
    first.reply(1);
    await early;
    const waiting = [app.nextCall(), app.nextCall()];
    const second = post(`${app.url}/second`);
    const secondCall = await waiting[0];
    const third = post(`${app.url}/third`);
    const thirdCall = await waiting[1];
    expect(app.calls.map((call) => call.path)).toEqual(["/early", "/second", "/third"]);
    secondCall?.reply(2);
    thirdCall?.reply(3);
    expect([await text(await second), await text(await third)]).toEqual(["2", "3"]);
  });

  it("stays in the queue until somebody takes it", async () => {
    await using app = await startFakeApp();
    const peers = [rawGet(app.url), rawGet(app.url)];
    const first = await app.nextCall();
    const second = await app.nextCall();
    expect(first).not.toBe(second);
    for (const peer of peers) peer.destroy();
    await Promise.all([first.closed, second.closed]);
  });
});

describe("an answer", () => {
  it("is JSON with a length by default", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.reply({ success: true }));
    const response = await post(app.url);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({ "content-type": "application/json", "content-length": "16" });
    expect(await text(response)).toBe('{"success":true}');
  });

  it("accepts status and headers, even repeated ones and those with a default", async () => {
    await using app = await startFakeApp();
    const headers = { "Content-Type": "text/html", "x-twice": ["1", "2"] };
    app.answer((call) => call.reply(null, { status: 418, headers }));
    const response = await post(app.url);
    expect(response.statusCode).toBe(418);
    expect(response.headers["content-type"]).toBe("text/html");
    expect(response.rawHeaders.filter((line) => line === "x-twice")).toHaveLength(2);
  });

  it("sends raw bodies untouched and without a content type", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.send(Buffer.from([0xef, 0xbb, 0xbf, 0x80])));
    const response = await post(app.url);
    expect(response.headers["content-type"]).toBeUndefined();
    expect([...(await buffer(response))]).toEqual([0xef, 0xbb, 0xbf, 0x80]);
  });

  it("may follow many others on one persistent connection", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.reply(call.path));
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on("warning", listen);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 12; round++) await text(await ask(app.url, { agent }));
    agent.destroy();
    await Promise.all(app.calls.map((call) => call.closed));
    process.off("warning", listen);
    expect(app.calls).toHaveLength(12);
    expect(warnings).toEqual([]);
  });

  it("has no effect after the peer has left", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    const call = await app.nextCall();
    peer.destroy();
    await call.closed;
    call.reply({});
    call.raw("late");
    call.reset();
    app.answer((next) => next.reply("still here"));
    expect(await text(await post(app.url))).toBe('"still here"');
  });
});

describe("a fault", () => {
  it.each(["HTTP/1.1 999 Odd\r\n\r\n", "HTTP/1.1 2", "\x16\x03\x01 no http at all"])(
    "raw: the bytes %j as they are, then the end",
    async (bytes) => {
      await using app = await startFakeApp();
      const peer = rawGet(app.url);
      (await app.nextCall()).raw(bytes);
      expect((await buffer(peer)).toString("latin1")).toBe(bytes);
    },
  );

  it("raw without an end: the connection stays open for more", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    const call = await app.nextCall();
    call.raw("HTTP/1.1 200 OK\r\n", { end: false });
    expect(String((await once(peer, "data"))[0])).toBe("HTTP/1.1 200 OK\r\n");
    call.raw("content-length: 0\r\n\r\n");
    expect(String((await once(peer, "data"))[0])).toBe("content-length: 0\r\n\r\n");
  });

  it("reset: no byte of a response", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    const received: Buffer[] = [];
    peer.on("data", (chunk) => received.push(chunk));
    const error = once(peer, "error");
    (await app.nextCall()).reset();
    expect((await error)[0]).toMatchObject({ code: "ECONNRESET" });
    expect(received).toEqual([]);
  });

  it("sendThenReset: headers and part of the body, then a reset", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    let received = "";
    peer.on("data", (chunk) => {
      received += chunk;
    });
    const error = once(peer, "error");
    (await app.nextCall()).sendThenReset('{"succ', 16);
    expect((await error)[0]).toMatchObject({ code: "ECONNRESET" });
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*content-length: 16\r\n\r\n\{"succ$/s);
  });

  it("hang: stays open and silent until the app is closed", async () => {
    const app = await startFakeApp();
    const peer = rawGet(app.url);
    const received: Buffer[] = [];
    peer.on("data", (chunk) => received.push(chunk));
    const call = await app.nextCall();
    call.hang();
    app.answer((other) => other.reply("others are answered"));
    await text(await post(app.url));
    expect([peer.readyState, received]).toEqual(["open", []]);
    const end = once(peer, "close");
    await app.close();
    await Promise.all([end, call.closed]);
    expect(received).toEqual([]);
  });

  it("drip: the headers at once", async () => {
    await using app = await startFakeApp();
    const answer = post(app.url);
    (await app.nextCall()).drip("ab", 3_600_000);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    response.destroy();
  });

  it("drip: single bytes repeatedly until the peer leaves", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    const call = await app.nextCall();
    call.drip("ab", 1);
    const enough = /\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\na\r\n1\r\nb\r\n/;
    let received = "";
    for await (const chunk of peer) {
      received += chunk;
      if (enough.test(received) || received.length > 1000) break;
    }
    expect(received).toMatch(enough);
    await call.closed;
  });

  it("dripHeaders: an endless response head until the peer leaves", async () => {
    await using app = await startFakeApp();
    const peer = rawGet(app.url);
    const call = await app.nextCall();
    call.dripHeaders(1);
    let received = "";
    for await (const chunk of peer) {
      received += chunk;
      if (received.length >= 30) break;
    }
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\nx-slow: a+$/);
    await call.closed;
  });
});

describe("the manifest", () => {
  it("is served in its current form and does not count as a call", async () => {
    await using app = await startFakeApp({ manifest: { version: 1 } });
    const address = `${app.url}/manifest.json`;
    expect(await text(await ask(address))).toBe('{"version":1}');
    app.manifest = { version: 2 };
    expect(await text(await ask(address))).toBe('{"version":2}');
    expect(app.calls).toEqual([]);
  });

  it("is a call like any other while undefined, and so is another method", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.reply("steered"));
    expect(await text(await ask(`${app.url}/manifest.json`))).toBe('"steered"');
    app.manifest = {};
    expect(await text(await post(`${app.url}/manifest.json`))).toBe('"steered"');
    expect(app.calls).toHaveLength(2);
  });

  it("is built from entries of each type", () => {
    const guards = [guardEntry("office"), guardEntry("code", { type: "redirect", url: "/code-page" })];
    const imports = [importEntry("clean", { fileName: "\\.json$" })];
    expect(manifestOf({ guards, imports, webhooks: [webhookEntry("hook", ["project.approved"])] })).toEqual({
      modules: {
        "auth-guard": [
          { key: "office", name: "Guard office", url: "/office" },
          { key: "code", name: "Guard code", url: "/code", options: { type: "redirect", url: "/code-page" } },
        ],
        "file-post-import": [{ key: "clean", url: "/clean", signaturePatterns: { fileName: "\\.json$" } }],
        webhook: [{ key: "hook", url: "/hook", events: ["project.approved"] }],
      },
    });
    expect(manifestOf({})).toEqual({ modules: {} });
  });
});

describe("closing", () => {
  it("frees the port, may be repeated, and ends waits", async () => {
    const app = await startFakeApp();
    const waiting = app.nextCall();
    await app.close();
    await app.close();
    await expect(waiting).rejects.toThrow("closed");
    await expect(app.nextCall()).rejects.toThrow("closed");
    await expect(ask(app.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("throws the error of a handler; its peer saw a reset", async () => {
    const app = await startFakeApp();
    const fault = new Error("wrong expectation");
    app.answer(async () => {
      throw fault;
    });
    await expect(ask(app.url)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(app.close()).rejects.toMatchObject({ errors: [fault] });
    await app.close();
  });
});

describe("ports", () => {
  it.skipIf(!hasIpv6Loopback)("an app may listen only on ::1", async () => {
    await using app = await startFakeApp({ host: "::1" });
    app.answer((call) => call.reply("six"));
    expect(app.url).toBe(`http://[::1]:${app.port}`);
    expect(await text(await ask(app.url))).toBe('"six"');
    await expect(ask(`http://127.0.0.1:${app.port}`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("a silent port accepts connections and sends nothing until it is closed", async () => {
    const silent = await startSilentPort();
    const peer = rawGet(silent.url);
    const received: Buffer[] = [];
    peer.on("data", (chunk) => received.push(chunk));
    // Closed before it read the request, the port resets the connection.
    peer.on("error", () => {});
    await once(peer, "connect");
    const end = new Promise((resolve) => peer.once("close", resolve));
    await silent.close();
    await end;
    expect(received).toEqual([]);
  });

  it("nothing listens at an unused port", async () => {
    await expect(ask(`http://127.0.0.1:${await unusedPort()}`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
