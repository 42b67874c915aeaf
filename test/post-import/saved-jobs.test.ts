import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportJob, ImportOptions } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { byUrl, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "S\u2028ave\n"), record("2", "Öffnen"), record("3", "Close")];
const job = jobWith(strings);
const tidied = [{ ...strings[0], text: "Save" }, ...strings.slice(1)];

interface Saved {
  readonly jobs: {
    readonly fixture: string;
    readonly via: string;
    readonly job: ImportJob;
    readonly answer: unknown;
  }[];
}

/** Imports a job and reads what was saved of it. */
async function save(source: ImportJob | string, answer: CallHandler, options: ImportOptions = {}) {
  using directory = makeTempDir();
  const file = join(directory.path, "saved.json");
  const { imported } = await importing(source, answer, { ...options, save: file });
  expect(readdirSync(directory.path)).toEqual(["saved.json"]);
  const document: Saved = JSON.parse(readFileSync(file, "utf8"));
  return { imported, document, mode: statSync(file).mode & 0o777 };
}

describe("--save keeps the job and the answer", () => {
  it.each([
    ["inline", "inline", always(returning(tidied))],
    ["inline", "url", byUrl(linesOf(tidied))],
    ["url", "inline", always(returning(tidied))],
    ["url", "url", byUrl(linesOf(tidied))],
  ] as const)("with strings inline: sent %s, answered %s", async (via, answerVia, answer) => {
    const { document } = await save(job, answer, { via });
    const answered = { outcome: "imported", error: null, via: answerVia, preview: null, strings: tidied };
    expect(document).toEqual({ jobs: [{ fixture: "the job", via, job, answer: answered }] });
  });

  it("readable only for the user: it may have unpublished texts", async () => {
    const { mode } = await save(job, always(returning(tidied)));
    expect(mode).toBe(0o600);
  });

  it("with the preview", async () => {
    const preview = Buffer.from("<p>").toString("base64");
    const { document } = await save(job, always({ data: { strings: tidied, preview } }));
    expect(document.jobs[0]?.answer).toMatchObject({ preview });
  });

  it.each<[string, CallHandler, object]>([
    ["an error of the app", always({ error: { message: "No." } }), { outcome: "failed", error: "No.", strings: [] }],
    ["a 304", (call) => call.send("", { status: 304 }), { outcome: "not-modified", strings: [] }],
    ["no answer", (call) => call.reset(), { outcome: "failed", strings: [] }],
    [
      "strings that break the contract",
      always(returning([{ uniqId: 5 }, "x"])),
      { outcome: "failed", strings: [{ uniqId: 5 }, "x"] },
    ],
    ["an empty file", byUrl(""), { outcome: "imported", strings: [] }],
    [
      "a file with a bad line",
      byUrl(`${linesOf(tidied.slice(0, 1))}{"uniqId"`),
      { outcome: "failed", strings: tidied.slice(0, 1) },
    ],
    [
      "a file with blank lines, BOM and CRLF",
      byUrl(`\ufeff\r\n${linesOf(tidied).replaceAll("\n", "\r\n\r\n")}`),
      { outcome: "imported", strings: tidied },
    ],
  ])("and is JSON, whatever came: %s", async (_, answer, expected) => {
    const { document } = await save(job, answer);
    expect(document.jobs[0]?.answer).toMatchObject(expected);
  });

  it("even for a job that was not sent", async () => {
    const { document } = await save({ ...job, extra: "a".repeat(5_300_000) } as ImportJob, always({}));
    expect(document.jobs[0]).toMatchObject({ job: { strings }, answer: { outcome: "failed" } });
  });

  it("and is a fixture's job as it was sent, with strings from a file", async () => {
    using directory = makeTempDir();
    const many = Array.from({ length: 3000 }, (_, index) => record(`${index}`, "a".repeat(200)));
    const { strings: _, ...rest } = jobWith(many);
    directory.write("many.ndjson", linesOf(many));
    const { document } = await save(
      directory.write("job.json", { ...rest, stringsUrl: "many.ndjson" }),
      byUrl(linesOf(many)),
    );
    expect(document.jobs[0]?.job).toEqual({ ...rest, strings: many });
    expect(document.jobs[0]?.answer).toMatchObject({ strings: many });
  });

  it("of each job of a run", async () => {
    using directory = makeTempDir();
    const file = join(directory.path, "saved.json");
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    const sources = ["one", "two"].map((name) => ({ name, job }));
    await run.sim.postImport(sources, { save: file });
    const document: Saved = JSON.parse(readFileSync(file, "utf8"));
    expect(document.jobs.map(({ fixture }) => fixture)).toEqual(["one", "two"]);
  });

  it.each<[string, (file: string) => void, string]>([
    ["in a directory that is not there", () => {}, "cannot be written: ENOENT"],
    ["where a directory is", (file) => mkdirSync(file, { recursive: true }), "is not a regular file"],
    ["in a file", (file) => writeFileSync(join(file, ".."), ""), "cannot be written: ENOTDIR"],
  ])("or is the user's mistake, reported before anything is sent: %s", async (_, prepare, says) => {
    using directory = makeTempDir();
    const file = join(directory.path, "sub", "saved.json");
    prepare(file);
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    const error = await usageErrorOf(run.sim.postImport({ name: "job", job }, { save: file }));
    expect(error.code).toBe("file-unwritable");
    expect(error.message).toContain(`--save ${file} ${says}`);
    expect(run.app.calls).toEqual([]);
  });
});
