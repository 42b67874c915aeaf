import { once } from "node:events";
import { rmSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomIds, systemClock } from "../../src/app-client/ports.ts";
import { createJournal } from "../../src/journal/journal.ts";
import { fileOnDisk, type HostedFile, HostedFiles, readWhole } from "../../src/web/hosted-files.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const CHUNK = 256 * 1024;

/** A file that comes in these pieces. */
function inPieces(pieces: readonly Uint8Array[], size: number | null = null): HostedFile {
  return {
    name: "strings of job.json",
    contentType: "application/x-ndjson",
    size,
    async *open() {
      yield* pieces;
    },
  };
}

async function chunksOf(file: HostedFile): Promise<Uint8Array[]> {
  const chunks = [];
  for await (const chunk of readWhole(file)) chunks.push(chunk);
  return chunks;
}

describe("one read of a file", () => {
  it("gives the same bytes in chunks of 256 KiB, whatever the pieces", async () => {
    const piece = fc.oneof(fc.nat(2000), fc.nat(3 * CHUNK), fc.constantFrom(0, 1, CHUNK - 1, CHUNK, CHUNK + 1));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (sizes) => {
        const pieces = sizes.map((size, index) => Buffer.alloc(size, index + 1));
        const whole = Buffer.concat(pieces);
        const chunks = await chunksOf(inPieces(pieces, whole.length));
        expect(Buffer.concat(chunks).equals(whole)).toBe(true);
        expect(chunks.slice(0, -1).every(({ length }) => length === CHUNK)).toBe(true);
        expect(chunks.every(({ length }) => length > 0 && length <= CHUNK)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("reports its progress", async () => {
    const reading = readWhole(inPieces([Buffer.alloc(CHUNK, "a"), Buffer.alloc(10, "b")]));
    const chunks = reading[Symbol.asyncIterator]();
    expect(reading).toMatchObject({ size: 0, isWhole: false });
    await chunks.next();
    expect(reading).toMatchObject({ size: CHUNK, isWhole: false });
    await chunks.next();
    await chunks.next();
    expect(reading).toMatchObject({ size: CHUNK + 10, isWhole: true, hasFailed: false });
    expect(reading.beginning).toHaveLength(CHUNK);
  });

  it.each([
    ["empty, not 1 byte", 0, 1],
    ["1 byte short", 99, 100],
    ["1 byte short of a chunk", CHUNK - 1, CHUNK],
    ["1 byte over", 101, 100],
    ["1 byte over a chunk", CHUNK + 1, CHUNK],
    ["a chunk over a chunk", 2 * CHUNK, CHUNK],
    ["1 byte, not empty", 1, 0],
  ])("of a file that is %s never gives the promised number of bytes", async (_, size, promised) => {
    const reading = readWhole(inPieces([Buffer.alloc(size)], promised));
    const error = await usageErrorOf(
      (async () => {
        for await (const _chunk of reading);
      })(),
    );
    expect(error.message).toBe(
      `strings of job.json no longer has its ${promised.toLocaleString("en-US")} bytes from when the job began`,
    );
    expect(reading).toMatchObject({ hasFailed: true, isWhole: false });
    expect(reading.size).toBeLessThan(promised || 1);
  });
});

describe("a file on disk", () => {
  it("is read again each time, and knows its size", async () => {
    using directory = makeTempDir();
    const text = "ä".repeat(CHUNK);
    const file = await fileOnDisk(directory.write("en.json", text), "en.json", "application/json");
    expect(file).toMatchObject({ name: "en.json", contentType: "application/json", size: 2 * CHUNK });
    for (const read of [await chunksOf(file), await chunksOf(file)]) {
      expect(read.map(({ length }) => length)).toEqual([CHUNK, CHUNK]);
      expect(Buffer.concat(read).toString()).toBe(text);
    }
  });

  it("may be empty", async () => {
    using directory = makeTempDir();
    const file = await fileOnDisk(directory.write("empty", ""), "empty", "text/plain");
    expect([file.size, await chunksOf(file)]).toEqual([0, []]);
  });

  it("must exist, and not be a directory", async () => {
    using directory = makeTempDir();
    const missing = await usageErrorOf(fileOnDisk(`${directory.path}/none`, "en.json", "text/plain"));
    expect([missing.code, missing.message]).toEqual([
      "file-unreadable",
      expect.stringMatching(/^en\.json cannot be read: ENOENT/),
    ]);
    const notOne = await usageErrorOf(fileOnDisk(directory.path, "en.json", "text/plain"));
    expect(notOne.message).toBe(`en.json cannot be read: ${directory.path} is not a regular file`);
  });

  it("that disappeared, or changed its size, is reported", async () => {
    using directory = makeTempDir();
    const path = directory.write("en.json", "0123456789");
    const file = await fileOnDisk(path, "en.json", "text/plain");
    directory.write("en.json", "01234");
    expect((await usageErrorOf(chunksOf(file))).code).toBe("file-changed");
    rmSync(path);
    expect((await usageErrorOf(chunksOf(file))).code).toBe("file-unreadable");
  });
});

describe("hosted files", () => {
  const url = "http://127.0.0.1:7410";
  const arrival = { method: "GET", url: "/files/x", headers: [], body: new Uint8Array() };

  function hosting() {
    const journal = createJournal();
    const parts = { journal, clock: systemClock, ids: randomIds, baseUrl: () => url, listen: async () => url };
    return { journal, files: new HostedFiles(parts) };
  }

  it("are at unguessable, unique addresses", async () => {
    const { files } = hosting();
    const file = inPieces([]);
    const hosted = await Promise.all(Array.from({ length: 50 }, () => files.host(file, "tidy")));
    const urls = hosted.map((each) => each.url);
    expect(urls.filter((each) => !/^http:\/\/127\.0\.0\.1:7410\/files\/[\w-]{43}$/.test(each))).toEqual([]);
    expect(new Set(urls).size).toBe(50);
    expect(files.find("x")).toBeNull();
  });

  it("are found until they end, even if they are ended repeatedly", async () => {
    const { files } = hosting();
    const kept = await files.host(inPieces([]), "tidy");
    const id = (each: { readonly url: string }) => each.url.split("/").at(-1) ?? "";
    let gone = "";
    {
      using ended = await files.host(inPieces([]), "tidy");
      gone = id(ended);
      expect(files.find(gone)).not.toBeNull();
      ended.end();
      ended.end();
      expect(files.find(gone)).toBeNull();
    }
    expect(files.find(id(kept))).not.toBeNull();
  });

  it("cut off a read that waits for its reader, which is in the journal before end() returns", async () => {
    const { journal, files } = hosting();
    const hosted = await files.host(inPieces(Array.from({ length: 10 }, () => Buffer.alloc(CHUNK))), "tidy");
    const response = new PassThrough();
    const sent = files.send(hosted.url.split("/").at(-1) ?? "", response, arrival);
    await once(response, "readable");
    hosted.end();
    const [exchange] = journal.list();
    expect(exchange).toMatchObject({ purpose: "file", module: "tidy", outcome: { kind: "interrupted" } });
    await sent;
    expect(response.destroyed).toBe(true);
    expect([hosted.reads, journal.list().length]).toEqual([0, 1]);
  });

  it("count a read as complete even if its end was not reported before end()", async () => {
    const { journal, files } = hosting();
    const hosted = await files.host(inPieces([Buffer.from("all of it")]), "tidy");
    const response = new PassThrough();
    const sent = files.send(hosted.url.split("/").at(-1) ?? "", response, arrival);
    const text = (await buffer(response)).toString();
    hosted.end();
    await sent;
    expect([text, hosted.reads, journal.list().length]).toEqual(["all of it", 1, 1]);
    expect(journal.list()[0]).toMatchObject({ outcome: { kind: "answered" } });
  });

  it("keep the connection of a read that lacks no byte when they end: its reader may use it again", async () => {
    const { journal, files } = hosting();
    const hosted = await files.host(inPieces([Buffer.from("all of it")]), "tidy");
    let flushed = () => {};
    const response = new Writable({
      write: (_chunk, _encoding, done) => done(),
      final(done) {
        flushed = done;
        response.emit("flushing");
      },
    });
    const flushing = once(response, "flushing");
    const sent = files.send(hosted.url.split("/").at(-1) ?? "", response, arrival);
    await flushing;
    hosted.end();
    expect(journal.list()[0]).toMatchObject({ outcome: { kind: "answered" } });
    flushed();
    await sent;
    expect([response.errored, response.writableFinished]).toEqual([null, true]);
  });

  it.each([
    ["whose end is not known yet, although its size is", 10, false],
    ["that lacks bytes", 11, true],
  ])("leave the connection of a read alone only if it lacks no byte: one %s", async (_, size, isCut) => {
    const { files } = hosting();
    const pieces = async function* () {
      yield Buffer.from("0123456789");
      await new Promise(() => {});
    };
    const file = { name: "strings", contentType: "text/plain", size, inPieces: true, open: pieces };
    const hosted = await files.host(file, "tidy");
    const response = new PassThrough();
    void files.send(hosted.url.split("/").at(-1) ?? "", response, arrival);
    await once(response, "readable");
    hosted.end();
    await setImmediate();
    expect(response.destroyed).toBe(isCut);
  });

  it("cut off a read whose last bytes its reader has not taken", async () => {
    const { journal, files } = hosting();
    const hosted = await files.host({ ...inPieces([Buffer.alloc(CHUNK)], CHUNK), inPieces: true }, "tidy");
    const response = new Writable({ write: () => {} });
    const sent = files.send(hosted.url.split("/").at(-1) ?? "", response, arrival);
    await setImmediate();
    hosted.end();
    await sent;
    expect([hosted.reads, response.destroyed]).toEqual([0, true]);
    expect(journal.list()[0]).toMatchObject({ outcome: { kind: "interrupted" } });
  });
});
