import { readFile } from "node:fs/promises";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import type { StringRecord } from "../../src/index.ts";
import { type CallHandler, startFakeApp } from "../rig/fake-app.ts";
import { importAnswered as answeredFor, byUrl, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
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

const strings = [record("1", "Save"), record("2", "Open"), record("3", "Close")];
const job = jobWith(strings);

const importAnswered = (answer: unknown, sent = job, choices = {}) => answeredFor(answer, sent, choices);

describe("a wire job", () => {
  it("is sent as in the fixture, even with unknown fields", async () => {
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

  it("may be one of several, each with its own result", async () => {
    await using run = await startSimulation({ serves: oneImport });
    const importing = run.sim.postImport([
      { name: "first", job },
      { name: "second", job: jobWith([]) },
    ]);
    (await run.app.nextCall()).reply(returning([]));
    (await run.app.nextCall()).reply({ error: { message: "No." } });
    expect((await importing).jobs).toMatchObject([
      { fixture: "first", outcome: "imported" },
      { fixture: "second", outcome: "failed", error: "No." },
    ]);
  });
});

describe("what came back is compared with what was sent", () => {
  it("by string, before and after", async () => {
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
      hidden: 0,
      relabelled: 0,
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
    ["removed", { removed: 2, unchanged: 1 }],
    ["unchanged", { removed: 0, unchanged: 3 }],
  ] as const)(
    "a missing string is %s by the choice postImport.omitted: lost data is a warning",
    async (omitted, changes) => {
      const imported = await importAnswered(returning(strings.slice(2)), job, { "postImport.omitted": omitted });
      const message = '2 strings did not come back: "key.1", "key.2"';
      const finding = { check: "import.string.removed", result: "warn", path: "data.strings", value: 2, message };
      expect(imported).toMatchObject({
        outcome: "imported",
        changes,
        findings: omitted === "removed" ? [finding] : [],
      });
      expect(imported.choices).toContain("postImport.omitted");
    },
  );

  it("a missing translation is a warning, unless it was empty; an added one is not", async () => {
    const [save] = strings as [StringRecord];
    const sent = jobWith([{ ...save, translations: { de: { text: "Sichern" }, fr: { text: "" } } }]);
    const imported = await importAnswered(returning([{ ...save, translations: { uk: { text: "Так" } } }]), sent);
    expect(imported.findings.filter(({ check }) => check === "import.translation.removed")).toMatchObject([
      { result: "warn", path: "data.strings[0].translations.de", identifier: save.identifier },
    ]);
    const whole = await importAnswered(returning(sent.strings ?? []), sent);
    expect(whole.findings).toEqual([]);
  });

  it("a lone surrogate that came back unchanged is not the app's fault, but one that the app wrote is", async () => {
    const [save] = strings as [StringRecord];
    const half = { ...save, text: "cut \ud83d" };
    const sent = jobWith([half]);
    const lossy = async (received: StringRecord) => {
      const { findings } = await importAnswered(returning([received]), sent);
      return findings.filter(({ check }) => check === "import.json.lossy").map(({ path }) => path);
    };
    expect(await lossy({ ...half, context: "looked at" })).toEqual([]);
    expect(await lossy({ ...half, text: "also cut \ud83d" })).toEqual(["data.strings[0].text"]);
    expect(await lossy({ ...half, context: "\ud83d" })).toEqual(["data.strings[0].context"]);
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

  it("may be an error, whose message is shown to the user", async () => {
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

  it("is shown to the user with another status, too", async () => {
    await using run = await startSimulation({
      serves: oneImport,
      answer: (call) => call.reply({ data: 5, error: { message: "Broken file." } }, { status: 422 }),
    });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([
      {
        error: "the app answered 422 with its own message: Broken file.",
        hint: expect.stringMatching(/^is this message for the user\? Then answer with status 200/),
      },
    ]);
  });

  it.each([
    ["The job has no strings.", true],
    ["req.body is undefined", true],
    ["This file has the wrong title.", false],
  ])("that complains about missing fields: the hint asks whether the body was read: %s", async (message, asks) => {
    const { hint } = await importAnswered({ error: { message } });
    expect(hint).toBe(
      `the user is shown this text${asks ? "; 3 strings were in the body of the job: does the app read it as JSON (express.json() on this route, in Express)?" : ""}`,
    );
  });

  it.each([
    ["empty", ""],
    ["white space only", " \t\n\u00a0"],
  ])("that is %s breaks the contract: there is no message to show", async (_, message) => {
    const imported = await importAnswered({ ...returning(strings), error: { message } });
    expect(imported).toMatchObject({
      outcome: "failed",
      error: expect.stringMatching(/breaks the contract: error\.message: is empty: leave error out/),
      changes: { unchanged: 0 },
      findings: [
        { check: "import.answer.shape", section: "2.4", result: "fail", path: "error.message", value: message },
      ],
    });
  });

  it.each([[{ error: null }], [{ error: { message: null } }]])("is ignored if it is null: %j", async (nothing) => {
    expect(await importAnswered({ ...returning(strings), ...nothing })).toMatchObject({ outcome: "imported" });
  });
});

it("treats null members of an answer as missing", async () => {
  const plural = record("1", { one: "a", other: "b" }, { hasPlurals: true });
  const nulls = { preview: null, previewUrl: null, stringsUrl: null };
  const imported = await importAnswered({ data: { strings: [plural], ...nulls }, error: null }, jobWith([plural]));
  expect(imported).toMatchObject({ outcome: "imported", changes: { unchanged: 1 }, findings: [] });
});

it("shows labels in their own order", async () => {
  const imported = await importAnswered(
    returning([record("1", "a", { labels: ["z", "b"] })]),
    jobWith([record("1", "a", { labels: ["y", "b"] })]),
  );
  expect(imported.changes.strings[0]?.fields).toEqual([{ field: "labels", before: ["y", "b"], after: ["z", "b"] }]);
});

describe("a payload near the limit gets a warning", () => {
  const large = jobWith([record("1", "a".repeat(5_050_000))]);

  it.each<[string, CallHandler]>([
    ["a 304", (call) => call.send("", { status: 304 })],
    ["another status", (call) => call.send("", { status: 500 })],
    ["an error of the app", always({ error: { message: "No." } })],
    ["an answer that breaks the contract", always({ data: { strings: 5 } })],
  ])("whatever comes back: %s", async (_, answer) => {
    await using run = await startSimulation({ serves: oneImport, answer });
    const { jobs } = await run.sim.postImport({ name: "the job", job: large }, { via: "inline" });
    expect(jobs[0]?.findings).toContainEqual(
      expect.objectContaining({ check: "import.size.near-limit", result: "warn", path: "request" }),
    );
  });
});

it.each([401, 403])("after %d says what to check in an app that verifies the token", async (status) => {
  const hintWith = async (auth: "bearer" | "query" | "none") => {
    const answer: CallHandler = (call) => call.send("", { status });
    await using run = await startSimulation({ serves: oneImport, answer, choices: { "postImport.auth": auth } });
    return (await run.sim.postImport({ name: "the job", job })).jobs[0]?.hint;
  };
  expect(await hintWith("bearer")).toContain("CLIENT_SECRET");
  expect(await hintWith("query")).toContain("CLIENT_SECRET");
  expect(await hintWith("none")).toBe("this call carries no credentials");
});

describe("the choice postImport.auth", () => {
  const claims = { module: "tidy", sub: "103", context: { project_id: 8, project_identifier: "site" } };
  const verify = (token: string) =>
    jwt.verify(token, "app-sim-client-secret-long-enough-for-HS256", {
      audience: "app-sim-client",
    });

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

describe("uniqId", () => {
  it("that came back changed gets a warning: the platform treats the string as new", async () => {
    const received = [record("1", "Save"), { ...record("2", "Open"), uniqId: "9" }, record("3", "Close")];
    expect(await importAnswered(returning(received))).toMatchObject({
      outcome: "imported",
      changes: { added: 1, removed: 1, unchanged: 2 },
      findings: [
        {
          check: "import.uniqId.changed",
          section: "2.5",
          result: "warn",
          path: "data.strings",
          value: "9",
          identifier: "key.2",
          message: 'the uniqId "2" came back as "9"',
          rule: expect.stringContaining("keeps its uniqId"),
        },
      ],
    });
  });

  it("of a new string is the app's choice", async () => {
    const received = [...strings, record("9", "New"), { ...record("10", "Save"), identifier: "key.1" }];
    const imported = await importAnswered(returning(received));
    expect(imported).toMatchObject({ outcome: "imported", changes: { added: 2, removed: 0 }, findings: [] });
  });
});

it("reports the progress of a long job", async () => {
  const news: string[] = [];
  const many = Array.from({ length: 3 }, (_, index) => record(`${index}`, "Save"));
  await importing(
    jobWith(many),
    byUrl(linesOf(many)),
    {},
    { onProgress: ({ what, done }) => news.push(`${done} ${what}`) },
  );
  expect(news.at(-1)).toBe("3 strings received");
});

it("S24 a uniqId such as __proto__ is one like any other", async () => {
  const sent = ["__proto__", "constructor", "toString"].map((uniqId) => record(uniqId, uniqId));
  const imported = await importAnswered(returning(sent.map((string) => ({ ...string, text: "other" }))), jobWith(sent));
  expect(imported.changes).toMatchObject({ changed: 3, added: 0, removed: 0, unchanged: 0 });
});
