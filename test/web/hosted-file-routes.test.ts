import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyBytes } from "../../src/journal/journal.ts";
import { fileOnDisk, type HostedFile } from "../../src/web/hosted-files.ts";
import { ask, begin } from "../guard/visitor.ts";
import { type ServedPlatform, servePlatform } from "../rig/platform.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

let platform: ServedPlatform;
beforeAll(async () => {
  platform = await servePlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());

const MB = 1024 * 1024;

/** A file of so many bytes, in pieces of any size, and what became of the reads of it. */
function countedFile(size: number, { announced = size as number | null, piece = 100_000 } = {}) {
  const counts = { opened: 0, produced: 0, closed: 0 };
  const closings = new EventEmitter();
  const file: HostedFile = {
    name: "strings of job.json",
    contentType: "application/x-ndjson",
    size: announced,
    async *open() {
      counts.opened += 1;
      try {
        for (let left = size; left > 0; left -= piece) {
          counts.produced += Math.min(piece, left);
          yield Buffer.alloc(Math.min(piece, left), "x");
        }
      } finally {
        counts.closed += 1;
        closings.emit("closed");
      }
    },
  };
  return { file, counts, closed: () => once(closings, "closed") };
}

/** The exchanges of what is asked in a test. */
async function noted(count: number, asking: () => Promise<unknown>) {
  const before = platform.exchanges().length;
  await asking();
  return (await platform.exchangesOnce(before + count)).slice(before);
}

describe("2.3, 8: a hosted file", () => {
  it("is sent completely, without caching, and each request is in the journal", async () => {
    const { file } = countedFile(600_000);
    using hosted = await platform.files.host(file, "tidy");
    const [exchange] = await noted(1, async () => {
      const { status, headers, body } = await ask(hosted.url);
      expect([status, body === "x".repeat(600_000)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        "content-type": "application/x-ndjson",
        "content-length": "600000",
        "content-disposition": "attachment",
        "accept-ranges": "none",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      });
    });
    expect(exchange).toMatchObject({
      purpose: "file",
      module: "tidy",
      request: { method: "GET", url: hosted.url },
      response: { status: 200, body: { size: 600_000 } },
      outcome: { kind: "answered" },
    });
    expect(exchange?.response?.headers).toContainEqual(["content-length", "600000"]);
    expect(bodyBytes(exchange?.response?.body ?? { base64: "", size: 0 })).toHaveLength(256 * 1024);
    expect(hosted.reads).toBe(1);
  });

  it("is sent from disk unchanged, byte for byte", async () => {
    using directory = makeTempDir();
    const bytes = randomBytes(MB + 7);
    const path = directory.write("strings.bin", "");
    writeFileSync(path, bytes);
    using hosted = await platform.files.host(await fileOnDisk(path, "strings.bin", "application/octet-stream"), "tidy");
    const response = await begin(hosted.url);
    expect(response.headers["content-length"]).toBe(String(bytes.length));
    expect((await buffer(response)).equals(bytes)).toBe(true);
  });

  it("is sent without a length if that is unknown", async () => {
    using hosted = await platform.files.host(countedFile(300_000, { announced: null }).file, "tidy");
    const { headers, body } = await ask(hosted.url);
    expect([headers["content-length"], headers["transfer-encoding"], body.length]).toEqual([
      undefined,
      "chunked",
      300_000,
    ]);
  });

  it("may be empty", async () => {
    using hosted = await platform.files.host(countedFile(0).file, "tidy");
    const { status, headers, body } = await ask(hosted.url);
    expect([status, headers["content-length"], body, hosted.reads]).toEqual([200, "0", "", 1]);
  });

  it("answers HEAD without being read", async () => {
    const { file, counts } = countedFile(600_000);
    using hosted = await platform.files.host(file, "tidy");
    const [exchange] = await noted(1, async () => {
      const { status, headers, body } = await ask(hosted.url, { method: "HEAD" });
      expect([status, headers["content-length"], body]).toEqual([200, "600000", ""]);
    });
    expect(exchange).toMatchObject({
      request: { method: "HEAD" },
      response: { status: 200, body: { size: 0 } },
      outcome: { kind: "answered" },
    });
    expect([counts.opened, hosted.reads]).toEqual([0, 0]);
  });

  it("is sent completely, even if a part was requested", async () => {
    using hosted = await platform.files.host(countedFile(1000).file, "tidy");
    const { status, headers, body } = await ask(hosted.url, { headers: { range: "bytes=0-9" } });
    expect([status, headers["accept-ranges"], headers["content-range"], body.length]).toEqual([
      200,
      "none",
      undefined,
      1000,
    ]);
  });

  it("is read separately for each of many simultaneous requests", async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on("warning", hear);
    const { file, counts } = countedFile(400_000);
    using hosted = await platform.files.host(file, "tidy");
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(hosted.url)));
    process.off("warning", hear);
    expect(answers.filter(({ body }) => body.length !== 400_000)).toEqual([]);
    expect([counts.opened, counts.closed, hosted.reads]).toEqual([30, 30, 30]);
    expect(warnings).toEqual([]);
  });

  it("answers other methods with 405, which is also in the journal", async () => {
    using hosted = await platform.files.host(countedFile(10).file, "tidy");
    const [exchange] = await noted(1, async () => {
      const answered = await ask(hosted.url, { method: "POST", headers: { accept: "*/*" }, body: "x".repeat(100) });
      expect([answered.status, answered.headers.allow]).toEqual([405, "GET, HEAD"]);
      expect(JSON.parse(answered.body)).toEqual({
        error: {
          message: "This address does not accept this method: POST is not allowed here",
          code: 405,
          hint: "allowed: GET, HEAD",
        },
      });
    });
    expect(exchange).toMatchObject({ purpose: "file", module: "tidy", response: { status: 405 } });
  });
});

describe("a hosted file is read no faster than it is sent", () => {
  it("by a slow reader", async () => {
    const { file, counts } = countedFile(64 * MB, { piece: MB / 8 });
    using hosted = await platform.files.host(file, "tidy");
    const response = await begin(hosted.url);
    let taken = 0;
    let ahead = 0;
    for await (const chunk of response) {
      taken += chunk.length;
      ahead = Math.max(ahead, counts.produced - taken);
    }
    expect(taken).toBe(64 * MB);
    // What the system's buffers of a connection hold, and two chunks of ours.
    expect(ahead).toBeLessThan(16 * MB);
  });
});

describe("a reader that leaves", () => {
  it("closes the file, and is marked in the journal", async () => {
    const { file, counts } = countedFile(64 * MB);
    using hosted = await platform.files.host(file, "tidy");
    const [exchange] = await noted(1, async () => {
      const response = await begin(hosted.url);
      await once(response, "readable");
      response.destroy();
    });
    expect(exchange).toMatchObject({
      module: "tidy",
      response: { status: 200 },
      outcome: { kind: "disconnected", phase: "body", detail: expect.stringContaining("closed the connection") },
    });
    expect(exchange?.response?.body.size).toBe(
      exchange && Math.min(counts.produced, exchange.response?.body.size ?? 0),
    );
    expect([counts.opened, counts.closed, hosted.reads]).toEqual([1, 1, 0]);
    expect(platform.bugs).toEqual([]);
  });

  it.skipIf(!existsSync("/proc/self/fd"))("leaves no file open", async () => {
    using directory = makeTempDir();
    const path = directory.write("large.bin", "x".repeat(32 * MB));
    const isOpen = () =>
      readdirSync("/proc/self/fd").some((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`) === path;
        } catch {
          return false;
        }
      });
    using hosted = await platform.files.host(await fileOnDisk(path, "large.bin", "text/plain"), "tidy");
    await noted(1, async () => {
      const response = await begin(hosted.url);
      await once(response, "readable");
      expect(isOpen()).toBe(true);
      response.destroy();
    });
    expect(isOpen()).toBe(false);
  });
});

describe("a hosted file is served only while its job runs", () => {
  const gone = {
    error: {
      message: "There is no such file: a file is served only while its job runs",
      code: 404,
      hint: "fetch contentUrl and stringsUrl before you answer the call that names them",
    },
  };

  it("then it is 404, like a file that never existed", async () => {
    const hosted = await platform.files.host(countedFile(10).file, "tidy");
    expect((await ask(hosted.url)).status).toBe(200);
    hosted.end();
    const exchanges = await noted(2, async () => {
      for (const url of [hosted.url, `${platform.url}/files/unknown`]) {
        const { status, headers, body } = await ask(url, { headers: { accept: "*/*" } });
        expect([status, headers["content-type"], JSON.parse(body)]).toEqual([
          404,
          "application/json; charset=utf-8",
          gone,
        ]);
      }
    });
    expect(exchanges.map(({ module, response }) => [module, response?.status])).toEqual([
      [null, 404],
      [null, 404],
    ]);
  });

  it("a current read is cut off: its beginning cannot be mistaken for the whole", async () => {
    const { file, counts, closed } = countedFile(64 * MB);
    const hosted = await platform.files.host(file, "tidy");
    const [exchange] = await noted(1, async () => {
      const response = await begin(hosted.url);
      await once(response, "readable");
      const read = buffer(response);
      const closing = closed();
      hosted.end();
      await expect(read).rejects.toThrow("aborted");
      await closing;
    });
    expect(exchange).toMatchObject({ outcome: { kind: "interrupted" }, response: { status: 200 } });
    expect([counts.closed, hosted.reads, platform.bugs]).toEqual([1, 0, []]);
  });
});

describe("a file that differs from its announced size", () => {
  it.each([
    ["shorter", 300_000, 300_001],
    ["longer", 300_001, 300_000],
    ["longer than a chunk", 262_145, 262_144],
  ])("%s: the connection breaks before its end, and the reason is reported", async (_, size, announced) => {
    await using own = await servePlatform();
    using hosted = await own.files.host(countedFile(size, { announced }).file, "tidy");
    await expect(ask(hosted.url).then(({ body }) => body.length)).rejects.toThrow();
    expect(own.bugs).toEqual([expect.objectContaining({ code: "file-changed" })]);
    expect((await own.exchangesOnce(1))[0]).toMatchObject({ outcome: { kind: "interrupted" } });
    expect(hosted.reads).toBe(0);
  });

  it("missing: the same, and the platform continues", async () => {
    await using own = await servePlatform();
    using directory = makeTempDir();
    const path = directory.write("en.json", "{}");
    using hosted = await own.files.host(await fileOnDisk(path, "en.json", "application/json"), "tidy");
    rmSync(path);
    await expect(ask(hosted.url).then(({ body }) => body.length)).rejects.toThrow();
    expect(own.bugs).toEqual([expect.objectContaining({ code: "file-unreadable" })]);
    directory.write("en.json", "{}");
    expect((await ask(hosted.url)).body).toBe("{}");
  });
});
