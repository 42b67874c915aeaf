import { readFile } from "node:fs/promises";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import type { StringRecord } from "../../src/index.ts";
import { createJournal } from "../../src/journal/journal.ts";
import { type CallHandler, importEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import {
  always,
  assemble,
  bearerOf,
  hurriedGateway,
  jobWith,
  onlyCall,
  record,
  startSimulation,
} from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const oneImport = manifestOf({ imports: [importEntry("tidy")] });
const strings = [record("1", "Save"), record("2", "Open"), record("3", "Close")];
const job = jobWith(strings);

/** Imports one job into an app that answers with this value. */
async function importAnswered(answer: unknown, sent = job, choices = {}) {
  await using run = await startSimulation({ serves: oneImport, answer: always(answer), choices });
  const result = await run.sim.postImport({ name: "the job", job: sent });
  const [imported] = result.jobs;
  if (imported === undefined) throw new Error("no job in the result");
  return { ...imported, choices: result.choices };
}

const returning = (received: readonly StringRecord[]) => ({ data: { strings: received } });

describe("a wire job", () => {
  it("is sent as the fixture has it, unknown fields and all", async () => {
    using directory = makeTempDir();
    const wire = { ...job, strings: [record("1", "Zażółć 👋 a/b", { extra: { kept: [1, null] } })], extra: true };
    const file = directory.write("job.json", JSON.stringify(wire, null, 2));
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    const { jobs } = await run.sim.postImport(file);
    const body = Buffer.from(JSON.stringify(JSON.parse(await readFile(file, "utf8"))));
    expect(onlyCall(run.app).body.equals(body)).toBe(true);
    expect(jobs[0]).toMatchObject({
      fixture: file,
      module: "tidy",
      sent: { strings: 1, via: "inline", bytes: body.length },
    });
  });

  it("is one of several, each with its own result", async () => {
    await using run = await startSimulation({ serves: oneImport });
    const importing = run.sim.postImport({ name: "first", job }, { name: "second", job: jobWith([]) });
    (await run.app.nextCall()).reply(returning([]));
    (await run.app.nextCall()).reply({ error: { message: "No." } });
    expect((await importing).jobs).toMatchObject([
      { fixture: "first", outcome: "imported" },
      { fixture: "second", outcome: "failed", error: "No." },
    ]);
  });
});

describe("what came back is compared with what was sent", () => {
  it("string by string, before and after", async () => {
    const [save, open, close] = strings as [StringRecord, StringRecord, StringRecord];
    const received = [
      { ...save, text: "Save…", maxLength: 9 },
      { ...close, maxLength: null, labels: [] },
      record("4", "New"),
    ];
    const imported = await importAnswered(returning(received));
    expect(imported).toMatchObject({ outcome: "imported", received: { strings: 3, via: "inline" } });
    expect(imported.changes).toEqual({
      changed: 1,
      added: 1,
      removed: 1,
      unchanged: 1,
      strings: [
        {
          uniqId: save.uniqId,
          identifier: save.identifier,
          change: "changed",
          fields: [
            { field: "text", before: "Save", after: "Save…" },
            { field: "maxLength", before: null, after: 9 },
          ],
        },
        { uniqId: open.uniqId, identifier: open.identifier, change: "removed", fields: [] },
        {
          uniqId: "4",
          identifier: "key.4",
          change: "added",
          fields: [{ field: "text", before: null, after: "New" }],
        },
      ],
    });
  });

  it.each([
    ["removed", { removed: 2, unchanged: 1 }, ["import.strings.omitted"]],
    ["unchanged", { removed: 0, unchanged: 3 }, []],
  ] as const)("a string that stays away is %s by the choice postImport.omitted", async (omitted, changes, checks) => {
    const imported = await importAnswered(returning(strings.slice(2)), job, { "postImport.omitted": omitted });
    expect(imported).toMatchObject({ outcome: "imported", changes });
    expect(imported.findings.map(({ check }) => check)).toEqual(checks);
    expect(imported.choices).toContain("postImport.omitted");
  });
});

describe("an answer without strings", () => {
  it.each([
    ["accepted", { outcome: "not-modified", error: null, changes: { unchanged: 3 } }],
    [
      "refused",
      { outcome: "failed", error: expect.stringMatching(/^the app answered 304\b/), changes: { unchanged: 0 } },
    ],
  ] as const)("may be a 304, %s by the choice postImport.notModified", async (choice, expected) => {
    await using run = await startSimulation({
      serves: oneImport,
      answer: (call) => call.send("", { status: 304 }),
      choices: { "postImport.notModified": choice },
    });
    const result = await run.sim.postImport({ name: "the job", job });
    expect(result.jobs).toMatchObject([expected]);
    expect(result.choices).toContain("postImport.notModified");
  });

  it("may be an error, whose message is what the user is shown", async () => {
    const imported = await importAnswered({ error: { message: "The file has no title." } });
    expect(imported).toMatchObject({ outcome: "failed", error: "The file has no title.", failure: "other" });
  });
});

describe("error.message", () => {
  it.each([
    ["strings that are right", returning(strings)],
    ["strings that break the contract", { data: { strings: [{ uniqId: 5 }] } }],
    ["data that is no object", { data: "none" }],
    ["data of null", { data: null }],
  ])("wins over %s", async (_, rest) => {
    const imported = await importAnswered({ ...rest, error: { message: "No title.", code: 7 } });
    expect(imported).toMatchObject({
      outcome: "failed",
      error: "No title.",
      hint: expect.stringContaining("the user is shown"),
      changes: { changed: 0, added: 0, removed: 0 },
      findings: [],
    });
  });

  it("is what the user is shown of another status as well", async () => {
    await using run = await startSimulation({
      serves: oneImport,
      answer: (call) => call.reply({ data: 5, error: { message: "Broken file." } }, { status: 422 }),
    });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([{ error: "Broken file. (the app answered 422)" }]);
  });

  it("that is empty says so", async () => {
    const imported = await importAnswered({ error: { message: "" } });
    expect(imported).toMatchObject({ outcome: "failed", error: "the app gave an empty error.message" });
  });

  it.each([[{ error: null }], [{ error: { message: null } }]])("is left out where it is null: %j", async (nothing) => {
    expect(await importAnswered({ ...returning(strings), ...nothing })).toMatchObject({ outcome: "imported" });
  });
});

it("takes null members of an answer as left out", async () => {
  const plural = record("1", { one: "a", other: "b" }, { hasPlurals: true });
  const nulls = { preview: null, previewUrl: null, stringsUrl: null };
  const imported = await importAnswered({ data: { strings: [plural], ...nulls }, error: null }, jobWith([plural]));
  expect(imported).toMatchObject({ outcome: "imported", changes: { unchanged: 1 }, findings: [] });
});

it("warns of an answer that gives its strings in both ways", async () => {
  const imported = await importAnswered({ data: { strings, stringsUrl: "http://127.0.0.1:1/strings" } });
  expect(imported).toMatchObject({ outcome: "imported", findings: [{ check: "import.strings.both", result: "warn" }] });
});

it("shows labels in their own order", async () => {
  const imported = await importAnswered(
    returning([record("1", "a", { labels: ["z", "b"] })]),
    jobWith([record("1", "a", { labels: ["y", "b"] })]),
  );
  expect(imported.changes.strings[0]?.fields).toEqual([{ field: "labels", before: ["y", "b"], after: ["z", "b"] }]);
});

describe("a payload near the limit is warned of", () => {
  const large = jobWith([record("1", "a".repeat(5_050_000))]);

  it.each<[string, CallHandler]>([
    ["a 304", (call) => call.send("", { status: 304 })],
    ["another status", (call) => call.send("", { status: 500 })],
    ["an error of the app", always({ error: { message: "No." } })],
    ["an answer that breaks the contract", always({ data: { strings: 5 } })],
  ])("whatever comes back: %s", async (_, answer) => {
    await using run = await startSimulation({ serves: oneImport, answer });
    const { jobs } = await run.sim.postImport({ name: "the job", job: large });
    expect(jobs[0]?.findings).toContainEqual(
      expect.objectContaining({ check: "import.size.near-limit", result: "warn", path: "request" }),
    );
  });
});

it.each([401, 403])("after %d says what an app that verifies the token should look at", async (status) => {
  const hintWith = async (auth: string) => {
    const answer: CallHandler = (call) => call.send("", { status });
    await using run = await startSimulation({ serves: oneImport, answer, choices: { "postImport.auth": auth } });
    return (await run.sim.postImport({ name: "the job", job })).jobs[0]?.hint;
  };
  expect(await hintWith("bearer")).toContain("CLIENT_SECRET");
  expect(await hintWith("query")).toContain("CLIENT_SECRET");
  expect(await hintWith("none")).toBe("this call carries no credentials");
});

describe("an answer that breaks the contract fails the import and changes nothing", () => {
  const unchanged = { changed: 0, added: 0, removed: 0, unchanged: 0, strings: [] };

  it.each<[string, unknown, RegExp]>([
    ["an array", [], /expected an object/],
    ["neither data nor error", {}, /neither data\.strings nor error/],
    ["strings that are no array", { data: { strings: {} } }, /data\.strings is .*expected an array/],
    [
      "a string without uniqId",
      returning([{ identifier: "a", text: "b" } as never]),
      /strings\[0\]\.uniqId is missing/,
    ],
    ["a text that is a number", returning([record("1", 5 as never)]), /data\.strings\[0\]\.text is 5/],
    ["a plural text without hasPlurals", returning([record("1", { one: "a" })]), /strings\[0\]\.text .*hasPlurals/],
    [
      "an unknown status",
      returning([record("1", "a", { translations: { uk: { text: "б", status: "done" as never } } })]),
      /translations\.uk\.status is "done"/,
    ],
    [
      "the same uniqId twice",
      returning([record("1", "a"), record("2", "b"), record("1", "c")]),
      /strings\[2\]\.uniqId "1"/,
    ],
    ["an error without a message", { error: {} }, /neither data\.strings nor error\.message/],
    ["an error that is text", { error: "boom" }, /error is "boom": expected an object/],
    ["a message that is no text, beside strings", { ...returning(strings), error: { message: 5 } }, /message is 5/],
    ["strings by URL", { data: { stringsUrl: "http://127.0.0.1/strings" } }, /data\.stringsUrl/],
  ])("%s", async (_, answer, reason) => {
    const imported = await importAnswered(answer);
    expect(imported).toMatchObject({ outcome: "failed", failure: "other", changes: unchanged });
    expect(imported.error).toMatch(reason);
    expect(imported.error).not.toContain("\n");
  });

  it.each<[string, unknown, [path: string, message: RegExp][]]>([
    ["the whole", [], [["", /expected an object/]]],
    ["what is missing", {}, [["response", /neither data\.strings nor error\.message/]]],
    ["an error without a message", { error: {}, data: null }, [["response", /neither/]]],
    [
      "every place at once",
      { data: { strings: [{ text: 5 }, record("2", "b", { maxLength: 1.5 })], preview: 7 }, error: "boom" },
      [
        ["data.strings[0].uniqId", /missing/],
        ["data.strings[0].identifier", /missing/],
        ["data.strings[0].text", /is 5/],
        ["data.strings[1].maxLength", /is 1\.5: expected a whole number/],
        ["data.preview", /is 7/],
        ["error", /is "boom"/],
      ],
    ],
  ])("with a finding for %s", async (_, answer, places) => {
    const { findings, error } = await importAnswered(answer);
    expect(findings).toEqual(
      places.map(([path, message]) => ({
        check: "import.answer.shape",
        section: "2.4",
        result: "fail",
        path,
        message: expect.stringMatching(message),
      })),
    );
    if (places.length > 1) expect(error).toContain(`(and ${places.length - 1} more: see the findings)`);
  });

  it("R17: a key twice, however it is spelt", async () => {
    const body = '{"data":{"strings":[]},"d\\u0061ta":{"strings":[]}}';
    await using run = await startSimulation({ serves: oneImport, answer: (call) => call.send(body) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([{ outcome: "failed", error: expect.stringContaining('has the key "data" twice') }]);
  });

  it.each(["__proto__", "constructor"])("S24: a %s key", async (key) => {
    const body = `{"data":{"strings":[]},"${key}":{"prototype":{"outcome":"imported"}}}`;
    await using run = await startSimulation({ serves: oneImport, answer: (call) => call.send(body) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([{ outcome: "failed", error: expect.stringContaining("not valid JSON") }]);
    expect(({} as { outcome?: unknown }).outcome).toBeUndefined();
  });
});

describe("signaturePatterns", () => {
  const serves = manifestOf({
    imports: [
      importEntry("xml", { fileName: "\\.xml$" }),
      importEntry("titled", { fileName: "^site", fileContent: '"title"\\s*:' }),
      importEntry("json", { fileName: "\\.json$" }),
    ],
  });
  const named = (name: string, content: string) =>
    jobWith(strings, { file: { id: 1, name, content: Buffer.from(content).toString("base64") } });

  it.each([
    ["site.xml", "<a/>", "xml"],
    ["site.json", '{"title": 1}', "titled"],
    ["site.json", '{"name": 1}', "json"],
    ["menu.json", '{"title": 1}', "json"],
  ])("choose the first module that fits: %s with %s goes to %s", async (name, content, key) => {
    await using run = await startSimulation({ serves, answer: always(returning(strings)) });
    const { jobs } = await run.sim.postImport({ name: "the job", job: named(name, content) });
    expect(onlyCall(run.app).path).toBe(`/${key}`);
    expect(jobs).toMatchObject([{ module: key, outcome: "imported" }]);
  });

  it("may fit no module: the job is skipped, and each module says why", async () => {
    await using run = await startSimulation({ serves, answer: always(returning(strings)) });
    const { jobs } = await run.sim.postImport({ name: "the job", job: named("menu.po", "") });
    expect(jobs).toMatchObject([{ module: null, outcome: "skipped", failure: null }]);
    for (const key of ["xml", "titled", "json"]) expect(jobs[0]?.error).toContain(`${key}: its fileName`);
    expect(run.app.calls).toEqual([]);
  });

  it("S23: a slow one is given up, and the next module is tried", async () => {
    const evil = importEntry("evil", { fileName: "^(a+)+$" });
    await using run = await startSimulation({
      serves: manifestOf({ imports: [evil, importEntry("next")] }),
      answer: always(returning(strings)),
    });
    const { jobs } = await run.sim.postImport({ name: "the job", job: named(`${"a".repeat(40)}!`, "") });
    expect(jobs).toMatchObject([{ module: "next", outcome: "imported" }]);
  });

  it.each([
    ["before the first", (stop: () => void) => stop()],
    ["between two", (stop: () => void) => void setImmediate(stop)],
  ])("hear the end of it all %s: nothing is sent, and nobody says that no module fits", async (_, when) => {
    await using app = await startFakeApp({ manifest: serves });
    const stop = new AbortController();
    const journal = createJournal();
    // The manifest is the last thing that is waited for before the patterns are tried.
    journal.subscribe(() => when(() => stop.abort()));
    const sim = await assemble({ app: { url: app.url } }, { journal, signal: stop.signal });
    const { jobs } = await sim.postImport({ name: "the job", job: named("menu.json", "{}") });
    expect(jobs).toMatchObject([{ module: null, outcome: "failed", failure: "interrupted", exchanges: [] }]);
    expect(app.calls).toEqual([]);
  });

  it("need not be there, but a module must", async () => {
    await using run = await startSimulation({ serves: manifestOf({}) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([
      { outcome: "skipped", error: "the manifest declares no file-post-import module", exchanges: [] },
    ]);
  });
});

describe("the choice postImport.auth", () => {
  const claims = { module: "tidy", sub: "103", context: { project_id: 8, project_identifier: "site" } };
  const verify = (token: string) => jwt.verify(token, "app-sim-client-secret", { audience: "app-sim-client" });

  it.each(["bearer", "query", "none"] as const)("%s", async (auth) => {
    await using run = await startSimulation({
      serves: oneImport,
      answer: always(returning(strings)),
      choices: { "postImport.auth": auth },
    });
    await run.sim.postImport({ name: "the job", job });
    const call = onlyCall(run.app);
    const url = new URL(call.path, run.app.url);
    const inQuery = url.searchParams.get("jwtToken");
    expect(url.pathname).toBe("/tidy");
    expect(call.header("authorization") === undefined).toBe(auth !== "bearer");
    expect(inQuery === null).toBe(auth !== "query");
    if (auth !== "none") expect(verify(inQuery ?? bearerOf(call))).toMatchObject(claims);
  });
});

it("gives a post-import module two minutes", async () => {
  await using app = await startFakeApp({ manifest: oneImport });
  app.answer(always(returning(strings)));
  const gateway = hurriedGateway(5_000);
  await (await assemble({ app: { url: app.url } }, { gateway })).postImport({ name: "the job", job });
  expect(gateway.limits).toEqual([120_000]);
});
