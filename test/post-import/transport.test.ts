import { describe, expect, it } from "vitest";
import type { ImportJob, ImportOptions } from "../../src/index.ts";
import { importing, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// Interface 2.3 and 8: what is large is passed by URL. The limit is turned down, so that little is large.

const limit = 20_000;
const choices = { "limits.size": limit };

/** A job whose request has so many bytes inline; half of what pads it out is in the file, if `inFile` says so. */
function jobOf(bytes: number, inFile: (padding: number) => number = () => 0): ImportJob {
  const make = (text: number, content: number) =>
    jobWith([record("1", "Grüße", { context: "a".repeat(text) }), record("2", "Open")], {
      file: { id: 9, name: "site.json", content: "abcd".repeat(content) },
    });
  const padding = bytes - Buffer.byteLength(JSON.stringify(make(0, 0)));
  const content = Math.floor(inFile(padding) / 4);
  const job = make(padding - 4 * content, content);
  expect(Buffer.byteLength(JSON.stringify(job))).toBe(bytes);
  return job;
}

/** Sends a job; what the app got, with what it was named fetched. */
async function sending(job: ImportJob, via: ImportOptions["via"]) {
  const got: { body?: Buffer; strings?: unknown[]; content?: string } = {};
  const { imported } = await importing(
    job,
    async (call) => {
      const sent = call.json() as ImportJob;
      const lines = sent.stringsUrl && (await (await fetch(sent.stringsUrl)).text());
      const file = sent.file.contentUrl && Buffer.from(await (await fetch(sent.file.contentUrl)).arrayBuffer());
      got.strings = lines
        ? lines
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : (sent.strings ?? []);
      got.content = file ? file.toString("base64") : (sent.file.content ?? "");
      got.body = call.body;
      // An answer with the strings might be over the limit too.
      call.send("", { status: 304 });
    },
    via && { via },
    { choices },
  );
  return { imported, got };
}

const small = 2000;
const allInFile = (padding: number) => padding;
const half = (padding: number) => padding / 2;

describe("2.3, 8 a job travels", () => {
  it.each<[ImportOptions["via"], string, ImportJob, strings: string, content: string]>([
    [undefined, "that is small", jobOf(small), "inline", "inline"],
    ["auto", "that is small", jobOf(small), "inline", "inline"],
    ["inline", "that is small", jobOf(small), "inline", "inline"],
    ["url", "that is small", jobOf(small), "url", "url"],
    ["auto", "of the limit's size", jobOf(limit), "inline", "inline"],
    ["inline", "of the limit's size", jobOf(limit), "inline", "inline"],
    ["auto", "a byte over, by its strings", jobOf(limit + 1), "url", "inline"],
    ["auto", "a byte over, by its content", jobOf(limit + 1, allInFile), "inline", "url"],
    ["auto", "a byte over, by both", jobOf(limit + 1, half), "url", "inline"],
    ["auto", "in which each is too large", jobOf(3 * limit, half), "url", "url"],
    ["url", "in which each is too large", jobOf(3 * limit, half), "url", "url"],
  ])("via %s, one %s", async (via, _, job, strings, content) => {
    const { imported, got } = await sending(job, via);
    expect(imported).toMatchObject({
      outcome: "not-modified",
      sent: { via: strings, contentVia: content, strings: 2, bytes: got.body?.length },
      changes: { unchanged: 2 },
      findings: [],
    });
    expect(got.strings).toEqual(job.strings);
    expect(got.content).toBe(job.file.content);
    expect(got.body?.length).toBeLessThanOrEqual(limit);
    if (strings === "inline" && content === "inline") expect(got.body?.toString()).toBe(JSON.stringify(job));
  });

  it.each([
    ["a byte over", jobOf(limit + 1), `${(limit + 1).toLocaleString("en-US")} bytes`],
    ["much too large", jobOf(3 * limit, half), `${(3 * limit).toLocaleString("en-US")} bytes`],
  ])("not inline if it is %s: nothing is sent, and the hint says what to do", async (_, job, size) => {
    const { imported, calls } = await importing(job, always({}), { via: "inline" }, { choices });
    expect(imported).toMatchObject({
      outcome: "failed",
      failure: "other",
      error: `the job is ${size}, over the limit of 20,000 bytes for a request`,
      hint: expect.stringContaining("--via url"),
      exchanges: [],
      changes: { unchanged: 0 },
    });
    expect(imported.choices).toContain("limits.size");
    expect(calls).toEqual([]);
  });

  it("not at all if the rest of it is over the limit", async () => {
    const job = { ...jobOf(small), extra: "a".repeat(limit) } as ImportJob;
    const { imported, calls } = await importing(job, always({}), {}, { choices });
    expect(imported).toMatchObject({ outcome: "failed", sent: { via: "url", contentVia: "url" } });
    expect(calls).toEqual([]);
  });

  // A job without room for the addresses of what is named would else be refused, though it could be sent.
  it.each([0, 1, 50, 100, 150])("by URL if %i bytes are left for the address of the strings", async (room) => {
    const empty = jobWith([], { file: { id: 9, name: "site.json", content: "" } });
    const rest = Buffer.byteLength(JSON.stringify(empty));
    const content = "abcd".repeat(Math.floor((limit - rest - room) / 4));
    const job = jobWith([record("1", "a".repeat(2 * limit))], { file: { id: 9, name: "site.json", content } });
    const { imported } = await sending(job, "auto");
    expect(imported).toMatchObject({ outcome: "not-modified", sent: { via: "url" } });
  });
});

describe("2.3 a job by URL", () => {
  it("keeps the order of its keys and its unknown fields", async () => {
    const { strings, file, ...rest } = jobWith([record("1", "a")]);
    const job = {
      strings,
      more: { a: 1 },
      ...rest,
      file: { content: file.content, id: 9, name: "x.json", kept: true },
    };
    const { got } = await sending(job as ImportJob, "url");
    const sent = JSON.parse(got.body?.toString() ?? "");
    expect(Object.keys(sent)).toEqual(["stringsUrl", "more", ...Object.keys(rest), "file"]);
    expect(Object.keys(sent.file)).toEqual(["contentUrl", "id", "name", "kept"]);
  });

  it("serves its files while it runs", async () => {
    let urls: (string | undefined)[] = [];
    const statusOf = async (url = "") => (await fetch(url)).status;
    const during: number[] = [];
    const job = jobOf(small);
    await using run = await startSimulation({
      serves: oneImport,
      async answer(call) {
        const sent = call.json() as ImportJob;
        urls = [sent.stringsUrl, sent.file.contentUrl];
        // The app may read them as often as it likes.
        for (const url of [...urls, ...urls]) during.push(await statusOf(url));
        call.reply(returning([]));
      },
    });
    await run.sim.postImport({ name: "job", job }, { via: "url" });
    expect(during).toEqual([200, 200, 200, 200]);
    expect(await Promise.all(urls.map(statusOf))).toEqual([404, 404]);
    for (const url of urls) expect(url).toMatch(new RegExp(`^${run.sim.url}/files/[\\w-]{43}$`));
  });

  it("has no strings in a file without lines", async () => {
    using directory = makeTempDir();
    const { strings: _, ...rest } = jobWith([]);
    directory.write("none.ndjson", "\n\r\n");
    const file = directory.write("job.json", { ...rest, stringsUrl: "none.ndjson" });
    const bodies: string[] = [];
    const { imported } = await importing(
      file,
      async (call) => {
        bodies.push(await (await fetch((call.json() as ImportJob).stringsUrl ?? "")).text());
        call.reply(returning([]));
      },
      { via: "url" },
    );
    expect([bodies, imported.outcome, imported.sent.strings]).toEqual([[""], "imported", 0]);
  });
});
