import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ImportJob } from "../../src/index.ts";
import type { AppCall, CallHandler } from "../rig/fake-app.ts";
import {
  byUrl,
  importing,
  linesOf,
  oneImport,
  ownTemporaryFiles,
  returning,
  type TemporaryFiles,
} from "../rig/imports.ts";
import { always, exchangesOf, jobWith, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

/** More than the sockets on the way hold. */
const many = Array.from({ length: 4_000 }, (_, index) => record(`${index}`, "a".repeat(2_000)));
const lines = linesOf(many);

let temporary: TemporaryFiles;
let directory: TempDir;

beforeEach(() => {
  temporary = ownTemporaryFiles();
  directory = makeTempDir();
});
afterEach(async () => {
  // What is being read is closed after that.
  await expect.poll(() => temporary.left()).toEqual([]);
  directory[Symbol.dispose]();
  temporary[Symbol.dispose]();
});

/** A fixture whose strings lie in a file beside it. */
function largeFixture(): string {
  const { strings: _, ...rest } = jobWith([]);
  directory.write("strings.ndjson", lines);
  return directory.write("job.json", { ...rest, stringsUrl: "strings.ndjson" });
}

function stringsUrlIn(call: AppCall): string {
  return (call.json() as ImportJob).stringsUrl ?? "";
}

/** Reads the beginning of a file, and leaves. */
async function beginReading(url: string): Promise<void> {
  const reader = (await fetch(url)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

describe("hosted strings", () => {
  it("may be left early, and fetched again", async () => {
    const fetched: boolean[] = [];
    const answer: CallHandler = async (call) => {
      const url = stringsUrlIn(call);
      await beginReading(url);
      for (let round = 0; round < 2; round++) fetched.push((await (await fetch(url)).text()) === lines);
      call.reply(returning(many.slice(0, 1)));
    };
    const { imported, journal } = await importing(largeFixture(), answer, { via: "url" });
    expect(fetched).toEqual([true, true]);
    expect(imported).toMatchObject({ outcome: "imported", changes: { unchanged: 1, removed: many.length - 1 } });
    const outcomes = exchangesOf({ journal }, "file").map(({ outcome }) => outcome.kind);
    expect(outcomes).toEqual(["disconnected", "answered", "answered"]);
  });

  it("may be read by several at once, some of which leave", async () => {
    const answer: CallHandler = async (call) => {
      const url = stringsUrlIn(call);
      const reads = [1, 2, 3].map(async () => (await (await fetch(url)).text()) === lines);
      await Promise.all([beginReading(url), beginReading(url)]);
      expect(await Promise.all(reads)).toEqual([true, true, true]);
      call.reply(returning([]));
    };
    expect((await importing(largeFixture(), answer, { via: "url" })).imported.outcome).toBe("imported");
  });

  it("may still be in transfer when the app answers", async () => {
    const answer: CallHandler = async (call) => {
      const responses = await Promise.all([1, 2, 3].map(() => fetch(stringsUrlIn(call))));
      call.reply(returning([]));
      await Promise.allSettled(responses.map((response) => response.text()));
    };
    const fixture = largeFixture();
    await using run = await startSimulation({ serves: oneImport, answer });
    for (let round = 0; round < 3; round++) {
      expect((await run.sim.postImport(fixture, { via: "url" })).jobs).toMatchObject([{ outcome: "imported" }]);
    }
  });
});

describe("a missing directory for temporary files", () => {
  it.each<[string, () => string, object]>([
    ["for the strings of a job", largeFixture, {}],
    ["for those of an answer", () => directory.write("job.json", jobWith([])), { update: true }],
    ["for those that are saved", () => directory.write("job.json", jobWith([])), { save: "saved.json" }],
  ])("is the user's mistake: %s", async (_, fixture, options) => {
    const file = fixture();
    const save = "save" in options ? { save: join(directory.path, "saved.json") } : {};
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    const nowhere = join(directory.path, "nowhere");
    const before = process.env.TMPDIR;
    process.env.TMPDIR = nowhere;
    try {
      const error = await usageErrorOf(run.sim.postImport(file, { ...options, ...save }));
      expect(error).toMatchObject({
        code: "no-temporary-file",
        summary: `the strings of a job cannot be kept in ${nowhere}: ENOENT: no such file or directory`,
        hint: expect.stringContaining("TMPDIR"),
      });
      expect(run.app.calls).toEqual([]);
    } finally {
      process.env.TMPDIR = before;
    }
  });
});

describe("temporary files are removed", () => {
  it("after an interruption while strings are read: nothing is sent", async () => {
    const interruption = new AbortController();
    const read: number[] = [];
    const fixture = largeFixture();
    const { result, calls } = await importing(
      fixture,
      always(returning([])),
      {},
      {
        signal: interruption.signal,
        onProgress: ({ what, done }) => {
          if (what !== "strings read") return;
          read.push(done);
          if (done === 1000) interruption.abort();
        },
      },
    );
    expect(result.jobs).toMatchObject([{ fixture, outcome: "failed", failure: "interrupted", exchanges: [] }]);
    expect(calls).toEqual([]);
    expect(read).toEqual([0, 1000]);
  });

  it.each<[string, CallHandler]>([
    ["strings by URL", byUrl(lines)],
    ["a file that ends too early", byUrl((call) => call.sendThenReset(lines.slice(0, 5000), lines.length))],
    ["a bad line", byUrl(`${lines.slice(0, 300_000)}\n`)],
    ["no answer", (call) => call.reset()],
    ["an error of the app", always({ error: { message: "No." } })],
  ])("after a run with expected answer and saved job: %s", async (_, answer) => {
    const fixture = largeFixture();
    const options = { update: true, save: join(directory.path, "saved.json") };
    await importing(fixture, answer, options);
    await importing(fixture, answer);
  });

  it("after a mistake in one of several fixtures", async () => {
    const bad = directory.write("bad.json", { file: { name: "a", content: "" }, strings: [{ identifier: 5 }] });
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    expect((await usageErrorOf(run.sim.postImport([largeFixture(), bad]))).code).toBe("fixture-invalid");
    expect(run.app.calls).toEqual([]);
  });
});
