import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportJob, StringRecord } from "../../src/index.ts";
import { type CallHandler, startFakeApp } from "../rig/fake-app.ts";
import { byUrl, firstJob, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, exchangesOf, jobWith, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const strings = [record("1", "Save"), record("2", "Open", { extra: [1] })];
const source = '{"title":"Zażółć"}';

/** Writes a wire job that has its strings and its content in other places, and the files beside it. */
function writeJob(
  directory: TempDir,
  { stringsUrl, contentUrl }: { stringsUrl?: string; contentUrl?: string },
  changes: Partial<ImportJob> = {},
): string {
  directory.write("strings.ndjson", linesOf(strings));
  directory.write("files/site.json", source);
  const { strings: inline, file, ...rest } = jobWith(strings, changes);
  const { content, ...named } = file;
  return directory.write("job.json", {
    ...(stringsUrl === undefined ? { strings: inline } : { stringsUrl }),
    ...rest,
    file: { ...(contentUrl === undefined ? { content } : { contentUrl }), ...named },
  });
}

const answer = always(returning(strings));

async function mistakeIn(job: unknown): Promise<Awaited<ReturnType<typeof usageErrorOf>>> {
  using directory = makeTempDir();
  const file = directory.write("job.json", job);
  await using run = await startSimulation({ serves: oneImport, answer });
  const error = await usageErrorOf(run.sim.postImport(file));
  expect(run.app.calls).toEqual([]);
  return error;
}

describe("2.3 a wire job whose stringsUrl and contentUrl are files next to it", () => {
  it("is sent inline, with the content of both", async () => {
    using directory = makeTempDir();
    const file = writeJob(directory, { stringsUrl: "strings.ndjson", contentUrl: "./files/site.json" });
    const { imported, posts } = await importing(file, answer, { via: "inline" });
    const job = posts[0]?.json() as ImportJob;
    expect(Object.keys(job).at(0)).toBe("strings");
    expect(Object.keys(job.file)).toEqual(["content", "id", "name"]);
    expect([job.strings, job.file.content]).toEqual([strings, Buffer.from(source).toString("base64")]);
    expect(imported).toMatchObject({
      outcome: "imported",
      sent: { strings: 2, via: "inline", contentVia: "inline", bytes: posts[0]?.body.length },
      changes: { unchanged: 2 },
    });
  });

  it("is sent by URL, and the platform serves both", async () => {
    using directory = makeTempDir();
    const file = writeJob(directory, { stringsUrl: "strings.ndjson", contentUrl: "files/site.json" });
    const fetched: string[] = [];
    const fetching: CallHandler = async (call) => {
      const job = call.json() as ImportJob;
      expect(Object.keys(job)[0]).toBe("stringsUrl");
      for (const url of [job.stringsUrl, job.file.contentUrl]) fetched.push(await (await fetch(url ?? "")).text());
      call.reply(returning(strings));
    };
    const { imported } = await importing(file, fetching, { via: "url" });
    expect(fetched).toEqual([readFileSync(join(directory.path, "strings.ndjson"), "utf8"), source]);
    expect(imported).toMatchObject({ outcome: "imported", sent: { via: "url", contentVia: "url" } });
  });

  it.each<[string, { stringsUrl?: string; contentUrl?: string }, string]>([
    ["stringsUrl", { stringsUrl: "none.ndjson" }, "none.ndjson"],
    ["contentUrl", { contentUrl: "none.json" }, "file.contentUrl"],
  ])("that do not exist: %s", async (_, urls, named) => {
    using directory = makeTempDir();
    const file = writeJob(directory, urls);
    await using run = await startSimulation({ serves: oneImport, answer });
    const error = await usageErrorOf(run.sim.postImport(file));
    expect(error.message).toContain(named);
    expect(error.message).toContain("there is no such file");
    expect(run.app.calls).toEqual([]);
  });

  it.each([
    ["no JSON", '{"uniqId":"1"', "line 2 is not valid JSON: "],
    ["no record", '{"uniqId":"1","identifier":"a"}', "line 2 is not a valid string"],
  ])("with a line that is %s", async (_, line, says) => {
    using directory = makeTempDir();
    const file = writeJob(directory, { stringsUrl: "bad.ndjson" });
    directory.write("bad.ndjson", `${JSON.stringify(record("0", "a"))}\r\n${line}\r\n`);
    await using run = await startSimulation({ serves: oneImport, answer });
    expect((await usageErrorOf(run.sim.postImport(file))).message).toContain(`bad.ndjson, ${says}`);
  });
});

describe("2.3 a wire job whose stringsUrl and contentUrl are addresses", () => {
  it("is sent with them unchanged; the strings are fetched once, to compare with them", async () => {
    using directory = makeTempDir();
    await using elsewhere = await startFakeApp();
    elsewhere.answer((call) => call.send(linesOf(strings)));
    const urls = { stringsUrl: `${elsewhere.url}/s`, contentUrl: `${elsewhere.url}/c` };
    const file = writeJob(directory, urls);
    const received = [{ ...strings[0], text: "Keep" }, strings[1]];
    const { imported, posts } = await importing(file, always(returning(received)));
    expect(posts[0]?.json()).toMatchObject({ stringsUrl: urls.stringsUrl, file: { contentUrl: urls.contentUrl } });
    expect(imported).toMatchObject({
      sent: { strings: 2, via: "url", contentVia: "url", bytes: posts[0]?.body.length },
      changes: { changed: 1, unchanged: 1 },
    });
    expect(elsewhere.calls.map(({ method, path }) => [method, path])).toEqual([["GET", "/s"]]);
    expect(elsewhere.calls[0]?.header("authorization")).toBeUndefined();
  });

  it("can be sent with the strings inline", async () => {
    using directory = makeTempDir();
    await using elsewhere = await startFakeApp();
    elsewhere.answer((call) => call.send(linesOf(strings)));
    const file = writeJob(directory, { stringsUrl: `${elsewhere.url}/s`, contentUrl: "https://files.example/c" });
    const { imported, posts } = await importing(file, answer, { via: "inline" });
    expect(posts[0]?.json()).toMatchObject({ strings, file: { contentUrl: "https://files.example/c" } });
    expect(imported.sent).toMatchObject({ via: "inline", contentVia: "url" });
  });

  it.each<[string, CallHandler, RegExp]>([
    ["answers 404", (call) => call.send("", { status: 404 }), /stringsUrl http:.*: there is nothing \(404\)/],
    [
      "redirects",
      (call) => call.send("", { status: 302, headers: { location: "/x" } }),
      /: it redirects \(302 to \/x\), which app-sim does not follow/,
    ],
    ["hangs up", (call) => call.reset(), /stringsUrl http:\S+: the app closed the connection/],
    ["gives no lines", (call) => call.send("no"), /line 1/],
    ["gives no records", (call) => call.send("{}"), /line 1 is not a valid string/],
  ])("fails before anything is sent if it %s", async (_, handler, says) => {
    using directory = makeTempDir();
    await using elsewhere = await startFakeApp();
    elsewhere.answer(handler);
    const file = writeJob(directory, { stringsUrl: `${elsewhere.url}/s` });
    await using run = await startSimulation({ serves: oneImport, answer });
    expect((await usageErrorOf(run.sim.postImport(file))).message).toMatch(says);
    expect(run.app.calls).toEqual([]);
    expect(exchangesOf(run.sim, "import-file")).toHaveLength(1);
  });
});

describe("a wire job with neither or both of its alternatives", () => {
  const { strings: _, file, ...rest } = jobWith(strings);
  const { content, ...named } = file;

  it.each<[string, unknown, [path: string, message: string][]]>([
    ["no strings", { ...rest, file }, [["strings", "is missing, and so is stringsUrl"]]],
    ["no content", { ...rest, file: named, strings }, [["file.content", "is missing, and so is file.contentUrl"]]],
    [
      "both of both",
      { ...rest, strings, stringsUrl: "s.ndjson", file: { ...file, contentUrl: "c.json" } },
      [
        ["strings", "is given together with its alternative stringsUrl"],
        ["file.content", "is given together with its alternative file.contentUrl"],
      ],
    ],
    [
      "addresses that lead nowhere",
      { ...rest, stringsUrl: "ftp://x/s", file: { ...named, contentUrl: "http://a:b@x/c" } },
      [
        ["file.contentUrl", "expected a file, or an http(s) URL without a user name or password"],
        ["stringsUrl", "expected a file, or an http(s) URL without a user name or password"],
      ],
    ],
  ])("is the user's mistake: %s", async (_name, job, problems) => {
    const error = await mistakeIn(job);
    expect(error).toMatchObject({ code: "fixture-invalid", summary: expect.stringMatching(/ is not a valid job$/) });
    expect(error.problems).toEqual(
      problems.map(([path, message]) => ({ path, message: expect.stringContaining(message) })),
    );
  });
});

it("a file that the app's answer names is not searched next to the fixture", async () => {
  using directory = makeTempDir();
  const file = writeJob(directory, {});
  const { imported } = await importing(file, always({ data: { stringsUrl: "strings.ndjson" } }));
  expect(imported).toMatchObject({ outcome: "failed", findings: [{ check: "import.file.address" }] });
  const told = await importing(file, byUrl(linesOf(strings satisfies StringRecord[])));
  expect(firstJob(told.result).outcome).toBe("imported");
});
