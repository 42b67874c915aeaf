import dns from "node:dns";
import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { explainOutcome } from "../../src/app-client/explain-outcome.ts";
import { type AppCall, StopReading, systemClock } from "../../src/app-client/ports.ts";
import { BODY_LIMIT } from "../../src/journal/journal.ts";
import { forbiddenAddress } from "../../src/platform/answer-url.ts";
import { type AppCall as ReceivedCall, startFakeApp } from "../rig/fake-app.ts";
import { selfSigned } from "../rig/self-signed.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const MEBIBYTE = 1_048_576;

/** A GET whose limits no test reaches, but for the given properties. */
function call(url: string, options: Partial<AppCall>) {
  return createAppGateway(systemClock).call({
    method: "GET",
    url,
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 30_000,
    sizeLimit: 1024 * MEBIBYTE,
    ...options,
  });
}

type Answer = Awaited<ReturnType<typeof call>>;
const outcomeOf = (answer: Answer) => (answer.ok ? { kind: "answered" } : answer.outcome);

/** A promise that the test settles. */
function promised<Value = void>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

/** Lets whatever waits for a socket go on, so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What comes of a call that the app answers so, and what was taken of it. */
async function taken(
  answer: (received: ReceivedCall) => void,
  options: Partial<AppCall> = {},
  wait: () => void | Promise<void> = () => {},
) {
  await using app = await startFakeApp();
  app.answer(answer);
  const chunks: Buffer[] = [];
  const came = await call(app.url, {
    take(chunk) {
      chunks.push(chunk);
      return wait();
    },
    ...options,
  });
  // Neither a slow taker nor an early end leaves a connection.
  await app.calls[0]?.closed;
  return { came, body: Buffer.concat(chunks) };
}

/** A server that sends this head, then as many blocks as there is room for, up to a number. */
async function startPouring(head: string, block: Buffer, blocks: number) {
  let sent = 0;
  const server = createServer((socket) => {
    const pour = () => {
      let hasRoom = true;
      while (hasRoom && sent < blocks && !socket.destroyed) {
        sent += 1;
        hasRoom = socket.write(block);
      }
      if (sent === blocks) socket.end();
    };
    socket.on("error", () => {}).on("drain", pour);
    socket.once("data", () => {
      socket.write(head);
      pour();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("take", () => {
  it("is given the body as it streams; what the journal keeps is its beginning", async () => {
    const text = Buffer.from("0123456789abcdef".repeat(40_000));
    const { came, body } = await taken((received) => received.send(text));
    expect(body.equals(text)).toBe(true);
    expect(came).toMatchObject({ ok: true, body: Buffer.alloc(0), response: { status: 200, size: text.length } });
    expect(came.response?.raw.equals(text.subarray(0, BODY_LIMIT))).toBe(true);
  });

  it("R14: is given the decompressed body, whatever its chunks", async () => {
    const compressed = fc.tuple(fc.uint8Array({ maxLength: 2000 }), fc.nat({ max: 100 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(compressed, async ([start, times, isPacked]) => {
        const text = Buffer.concat(Array(times).fill(start));
        const wire = isPacked ? gzipSync(text) : text;
        const encoding = isPacked ? "content-encoding: gzip\r\n" : "";
        const { came, body } = await taken((received) => {
          received.raw(`${OK}${encoding}transfer-encoding: chunked\r\n\r\n`, { end: false });
          for (let at = 0; at < wire.length; at += 700) {
            const part = wire.subarray(at, at + 700);
            received.raw(`${part.length.toString(16)}\r\n`, { end: false });
            received.raw(Buffer.concat([part, Buffer.from("\r\n")]), { end: false });
          }
          received.raw("0\r\n\r\n");
        });
        expect(came).toMatchObject({ ok: true, response: { size: wire.length } });
        expect(body.equals(text)).toBe(true);
        expect(came.response?.raw.equals(wire.subarray(0, BODY_LIMIT))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each([200, 204])("R14: is given nothing of an empty body with status %d, whatever its coding", async (status) => {
    for (const encoding of ["gzip", "br", "gzip, gzip"]) {
      const { came, body } = await taken((received) =>
        received.send("", { status, headers: { "content-encoding": encoding } }),
      );
      expect([came.ok, body.length]).toEqual([true, 0]);
    }
  });

  it("is awaited: one chunk at a time, and the app cannot send more meanwhile", async () => {
    const blocks = 1024;
    await using server = await startPouring(`${OK}connection: close\r\n\r\n`, Buffer.alloc(65_536), blocks);
    const gate = promised();
    const first = promised();
    let running = 0;
    let size = 0;
    const answer = call(server.url, {
      async take(chunk) {
        running += 1;
        expect(running).toBe(1);
        first.resolve();
        await gate.promise;
        size += chunk.length;
        running -= 1;
      },
    });
    await first.promise;
    let before = -1;
    // What the sockets between hold is bounded: the app comes to a halt.
    while (before !== server.sent()) {
      before = server.sent();
      await turns(200);
    }
    expect(server.sent()).toBeLessThan(blocks);
    gate.resolve();
    expect(await answer).toMatchObject({ ok: true, response: { size: blocks * 65_536 } });
    expect(size).toBe(blocks * 65_536);
  });

  it.each([
    ["plain", `${OK}connection: close\r\n\r\n`, Buffer.alloc(MEBIBYTE), 400, 400 * MEBIBYTE],
    [
      "S17: gzip",
      `${OK}connection: close\r\ncontent-encoding: gzip\r\n\r\n`,
      gzipSync(Buffer.alloc(400 * MEBIBYTE)),
      1,
      0,
    ],
  ])("keeps memory flat (%s)", async (_name, head, block, blocks, wire) => {
    await using server = await startPouring(head, block, blocks);
    const before = process.memoryUsage().arrayBuffers;
    let size = 0;
    let peak = 0;
    let chunks = 0;
    const answer = await call(server.url, {
      take(chunk) {
        size += chunk.length;
        chunks += 1;
        if (chunks % 100 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      },
    });
    expect(answer).toMatchObject({ ok: true, response: { size: wire || block.length } });
    expect(size).toBe(400 * MEBIBYTE);
    expect(peak).toBeLessThan(120 * MEBIBYTE);
  });

  it.each([
    [
      "at once",
      (): never => {
        throw new StopReading("line 3 is not valid JSON");
      },
    ],
    ["later", () => Promise.reject(new StopReading("line 3 is not valid JSON"))],
  ])("ends the call with StopReading, %s", async (_name, take) => {
    for (const encoding of ["identity", "gzip"]) {
      const answered = promised<ReceivedCall>();
      await using app = await startFakeApp();
      app.answer((received) => {
        answered.resolve(received);
        const bytes = encoding === "gzip" ? gzipSync(Buffer.alloc(MEBIBYTE)) : Buffer.alloc(1000);
        received.raw(`${OK}content-encoding: ${encoding}\r\ncontent-length: 5000\r\n\r\n`, { end: false });
        received.raw(bytes, { end: false });
      });
      const answer = await call(app.url, { take });
      expect(outcomeOf(answer)).toEqual({ kind: "cut-off", detail: "line 3 is not valid JSON" });
      if (!answer.ok) {
        const { reason } = explainOutcome(answer.outcome, app.url);
        expect(reason).toBe("app-sim stopped reading: line 3 is not valid JSON");
      }
      expect(answer.response).toMatchObject({ status: 200 });
      await (await answered.promise).closed;
    }
  });

  it.each(["identity", "gzip"])("that fails is our bug: the call rejects (%s)", async (encoding) => {
    await using app = await startFakeApp();
    app.answer((received) => received.send(gzipSync("x"), { headers: { "content-encoding": encoding } }));
    const broken = () => Promise.reject(new RangeError("broken"));
    await expect(call(app.url, { take: broken })).rejects.toThrow(new RangeError("broken"));
    await app.calls[0]?.closed;
  });

  it.each([199 + 101, 304, 404, 500])("is given nothing of a %d; the beginning of its body is kept", async (status) => {
    const text = "e".repeat(status === 304 ? 0 : BODY_LIMIT + 1000);
    const { came, body } = await taken((received) =>
      received.send(gzipSync(text), { status, headers: { "content-encoding": "gzip" } }),
    );
    expect(body).toHaveLength(0);
    expect(came).toMatchObject({ ok: true, response: { status } });
    expect(came.ok && came.body.toString() === text.slice(0, BODY_LIMIT)).toBe(true);
  });

  it.each([
    ["S16: br", "br", brotliCompressSync("x")],
    ["S17: gzip twice", "gzip, gzip", gzipSync(gzipSync("x"))],
    ["invalid gzip", "gzip", Buffer.from("plain")],
  ])("R14: is given nothing that is undecodable: %s", async (_name, encoding, raw) => {
    const { came, body } = await taken((received) => received.send(raw, { headers: { "content-encoding": encoding } }));
    expect([outcomeOf(came), body.length]).toEqual([expect.objectContaining({ kind: "undecodable", encoding }), 0]);
  });

  it("R14: gzip that breaks off is undecodable at its end", async () => {
    const text = Buffer.alloc(MEBIBYTE, "abc");
    const raw = gzipSync(text).subarray(0, -9);
    const { came, body } = await taken((received) => received.send(raw, { headers: { "content-encoding": "gzip" } }));
    expect(outcomeOf(came)).toMatchObject({ kind: "undecodable", detail: "unexpected end of file" });
    expect(text.subarray(0, body.length).equals(body)).toBe(true);
  });

  it("S17: a bomb ends as too large, at the limit", async () => {
    const raw = gzipSync(Buffer.alloc(200 * MEBIBYTE));
    const { came, body } = await taken((received) => received.send(raw, { headers: { "content-encoding": "gzip" } }), {
      sizeLimit: MEBIBYTE,
    });
    expect(outcomeOf(came)).toEqual({ kind: "too-large", limit: MEBIBYTE, decoded: true });
    expect(body.length).toBeLessThanOrEqual(MEBIBYTE);
  });

  it.each([0, 1])("S20: the limit and %d bytes more", async (more) => {
    const { came, body } = await taken((received) => received.send(Buffer.alloc(500_000 + more)), {
      sizeLimit: 500_000,
    });
    expect(outcomeOf(came).kind).toBe(more === 0 ? "answered" : "too-large");
    expect(came.response?.size).toBeGreaterThanOrEqual(500_000 * (1 - more) + more);
    expect(body.length).toBeLessThanOrEqual(500_000);
  });

  const size = 3 * 65_536 + 5;
  const framings = [
    ["of known length", `content-length: ${size}\r\n\r\n`, ""],
    ["of known length, kept alive", `connection: keep-alive\r\ncontent-length: ${size}\r\n\r\n`, ""],
    ["in chunks", `transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`, "\r\n0\r\n\r\n"],
    ["of unknown length", "connection: close\r\n\r\n", ""],
  ] as const;

  it.each(framings)(
    "may be slow even if the app ends the connection, with a body that is %s",
    async (_name, head, last) => {
      const ended = promised();
      const { came, body } = await taken(
        (received) => {
          received.raw(`${OK}${head}`, { end: false });
          received.raw(Buffer.concat([Buffer.alloc(size, "x"), Buffer.from(last)]));
          ended.resolve();
        },
        {},
        async () => {
          await ended.promise;
          await turns(20);
        },
      );
      expect(came).toMatchObject({ ok: true, response: { status: 200 } });
      expect(body.length).toBe(size);
    },
  );

  it.each(framings)(
    "may be slow even if the app resets the connection, with a body that is %s",
    async (_name, head) => {
      await using app = await startFakeApp();
      const began = promised();
      app.answer(async (received) => {
        received.raw(`${OK}${head}`, { end: false });
        received.raw(Buffer.alloc(size - 1, "x"), { end: false });
        await began.promise;
        received.reset();
      });
      const answer = await call(app.url, {
        async take() {
          began.resolve();
          await turns(20);
        },
      });
      expect(outcomeOf(answer)).toEqual({ kind: "disconnected", phase: "body", detail: "read ECONNRESET" });
    },
  );

  it("may be slow over TLS", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const text = Buffer.alloc(5 * MEBIBYTE, "secure");
    const server = createHttpsServer(selfSigned(), (_request, response) => response.end(text)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const chunks: Buffer[] = [];
    const answer = await call(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      async take(chunk) {
        chunks.push(chunk);
        await turns(1);
      },
    });
    expect(answer.ok).toBe(true);
    expect(Buffer.concat(chunks).equals(text)).toBe(true);
    server.close();
  });

  it("R5: a connection that breaks ends the call, even if a chunk is not yet processed", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.sendThenReset("abc", 10));
    const answer = await call(app.url, { take: () => new Promise(() => {}) });
    expect(outcomeOf(answer)).toMatchObject({ kind: "disconnected", phase: "body" });
  });

  it.each(["identity", "gzip"])(
    "S19: that never settles does not hold up the call beyond the time limit (%s)",
    async (encoding) => {
      const raw = gzipSync(Buffer.alloc(MEBIBYTE));
      let calls = 0;
      const take = () => {
        calls += 1;
        return new Promise<void>(() => {});
      };
      const { came } = await taken((received) => received.send(raw, { headers: { "content-encoding": encoding } }), {
        take,
        timeoutMs: 1000,
      });
      expect([outcomeOf(came), calls]).toEqual([{ kind: "timed-out", phase: "body", limitMs: 1000 }, 1]);
    },
  );

  it("S19: that settles after the end is not called again, and its failure does not crash the process", async () => {
    const late = promised();
    let calls = 0;
    const take = () => {
      calls += 1;
      return late.promise;
    };
    const { came } = await taken((received) => received.send(Buffer.alloc(10 * MEBIBYTE)), { take, timeoutMs: 1000 });
    expect(outcomeOf(came).kind).toBe("timed-out");
    late.reject(new Error("late"));
    await turns(20);
    expect(calls).toBe(1);
  });

  it("is interrupted by the signal", async () => {
    const interrupt = new AbortController();
    const { came } = await taken((received) => received.send(Buffer.alloc(MEBIBYTE)), {
      signal: interrupt.signal,
      take: () => {
        interrupt.abort();
        return new Promise(() => {});
      },
    });
    expect(outcomeOf(came)).toEqual({ kind: "interrupted" });
  });

  it("S19: a body that comes one byte at a time ends on time", async () => {
    const { came, body } = await taken((received) => received.drip("x", 10), { timeoutMs: 300 });
    expect(outcomeOf(came)).toEqual({ kind: "timed-out", phase: "body", limitMs: 300 });
    expect(body.length).toBeGreaterThan(0);
  });
});

describe("S21: mayConnectTo", () => {
  /** From now on every name leads to these addresses. */
  function resolveTo(...addresses: readonly string[]) {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const lookup = (...rest: unknown[]) => (rest.at(-1) as (error: null, all: unknown) => void)(null, found);
    return vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
  }

  it.each([
    ["http://169.254.169.254/", "169.254.169.254 is an address where clouds keep their credentials"],
    ["https://169.254.169.254/", "169.254.169.254 is an address where clouds keep their credentials"],
    ["http://[::ffff:169.254.1.1]/", "::ffff:a9fe:101 is a link-local address"],
    ["http://0:80/", "0.0.0.0 is an unspecified address"],
  ])("%s is not called", async (url, detail) => {
    const answer = await call(url, { mayConnectTo: forbiddenAddress, timeoutMs: 2000 });
    const outcome = { kind: "unreachable", code: "FORBIDDEN_ADDRESS", detail, elsewhere: null };
    expect(outcomeOf(answer)).toEqual(outcome);
    if (!answer.ok) {
      const { origin } = new URL(url);
      expect(explainOutcome(answer.outcome, url).reason).toBe(`${origin} is not called: ${detail}`);
    }
  });

  it.each(["http", "https"])("a name that leads to such an address is not called (%s)", async (protocol) => {
    resolveTo("169.254.169.254", "fe80::1");
    const answer = await call(`${protocol}://files.invalid/`, { mayConnectTo: forbiddenAddress, timeoutMs: 2000 });
    expect(outcomeOf(answer)).toEqual({
      kind: "unreachable",
      code: "FORBIDDEN_ADDRESS",
      detail: "files.invalid: 169.254.169.254 is an address where clouds keep their credentials",
      elsewhere: null,
    });
  });

  it("a rebinding name: each call is judged by the address to which its connection is made", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.reply("file"));
    const options = { mayConnectTo: forbiddenAddress, timeoutMs: 2000 };
    const url = `http://files.invalid:${app.port}/`;
    resolveTo("127.0.0.1");
    expect(await call(url, options)).toMatchObject({ ok: true });
    resolveTo("169.254.169.254");
    expect(outcomeOf(await call(url, options))).toMatchObject({ code: "FORBIDDEN_ADDRESS" });
    expect(app.calls).toHaveLength(1);
  });

  it("of several addresses, only the allowed ones are tried", async () => {
    await using app = await startFakeApp();
    app.answer((received) => received.reply("file"));
    resolveTo("169.254.169.254", "127.0.0.1", "::");
    const asked: string[] = [];
    const mayConnectTo = (address: string) => {
      asked.push(address);
      return forbiddenAddress(address);
    };
    expect(await call(`http://files.invalid:${app.port}/`, { mayConnectTo })).toMatchObject({ ok: true });
    expect(asked).toEqual(["169.254.169.254", "127.0.0.1", "::"]);
  });

  it("the name cannot be resolved", async () => {
    const answer = await call("http://does-not-exist.invalid/", { mayConnectTo: forbiddenAddress });
    expect(outcomeOf(answer)).toMatchObject({ code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });
});
