import { describe, expect, it } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import type { ImportJob, ImportOptions, SimulatorOptions, StringRecord } from "../../src/index.ts";
import { type CallHandler, startFakeApp } from "../rig/fake-app.ts";
import { firstJob, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, bearerOf, jobWith, onlyCall, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const translated = record("1", "Save", {
  translations: { uk: { text: "Зберегти" }, pl: { text: "Zapisz", status: "approved" }, de: { text: "Speichern" } },
});
const bare = record("2", "Open");

function jobInto(...ids: string[]): ImportJob {
  return jobWith([translated, bare], { targetLanguages: ids.flatMap((id) => findLanguage(id) ?? []) });
}

const keepsAll = always(returning([translated, bare]));

/** What the app got: of each job the target languages, and those that strings are translated into. */
async function sent(job: ImportJob | string, options: ImportOptions, simulation: SimulatorOptions = {}) {
  const { result, posts } = await importing(job, keepsAll, options, simulation);
  const jobs = posts.map((call) => {
    const { targetLanguages, strings = [] } = call.json() as ImportJob;
    const translations = strings.flatMap((string: StringRecord) => Object.keys(string.translations ?? {}));
    return { languages: targetLanguages.map(({ id }) => id), translations };
  });
  return { result, jobs };
}

const all = ["uk", "pl", "de"];

describe("2.3 the occasion", () => {
  it.each<[string, string[], ImportOptions["occasion"], [string, string[], string[]][]]>([
    ["none: the job is sent as it is", ["uk", "pl"], undefined, [["multilingual", ["uk", "pl"], all]]],
    ["none, without target languages", [], undefined, [["source-upload", [], all]]],
    ["none, with one of them", ["pl"], undefined, [["translation-upload", ["pl"], all]]],
    ["source-upload", ["uk", "pl"], "source-upload", [["source-upload", [], []]]],
    ["source-update", ["uk"], "source-update", [["source-update", [], []]]],
    [
      "translation-upload",
      ["uk", "pl"],
      "translation-upload",
      [
        ["translation-upload", ["uk"], ["uk"]],
        ["translation-upload", ["pl"], ["pl"]],
      ],
    ],
    ["multilingual", ["uk", "pl"], "multilingual", [["multilingual", ["uk", "pl"], ["uk", "pl"]]]],
  ])("%s", async (_, languages, occasion, expected) => {
    const { result, jobs } = await sent(jobInto(...languages), occasion === undefined ? {} : { occasion });
    expect(jobs).toEqual(expected.map(([, ids, translations]) => ({ languages: ids, translations })));
    expect(result.jobs.map((job) => [job.occasion, job.languages])).toEqual(expected.map(([name, ids]) => [name, ids]));
  });

  it("of a job is that of its strings by URL as well", async () => {
    let lines = "";
    const echoing: CallHandler = async (call) => {
      lines = await (await fetch((call.json() as ImportJob).stringsUrl ?? "")).text();
      call.reply(
        returning(
          lines
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        ),
      );
    };
    const { imported } = await importing(jobInto("uk", "pl"), echoing, { occasion: "multilingual", via: "url" });
    const { uk, pl } = translated.translations ?? {};
    expect(lines).toBe(linesOf([{ ...translated, translations: { uk, pl } }, bare]));
    expect(imported).toMatchObject({ outcome: "imported", sent: { via: "url" }, changes: { unchanged: 2 } });
  });

  it("may be set in the fixture; the requested one takes precedence", async () => {
    using directory = makeTempDir();
    const file = directory.write("job.json", {
      occasion: "translation-upload",
      file: { name: "site.json", content: "e30=" },
      targetLanguages: ["uk", "pl"],
      strings: [{ ...translated, translations: { uk: { text: "Зберегти" }, pl: { text: "Zapisz" } } }],
    });
    expect((await sent(file, {})).jobs).toEqual([
      { languages: ["uk"], translations: ["uk"] },
      { languages: ["pl"], translations: ["pl"] },
    ]);
    expect((await sent(file, { occasion: "multilingual" })).jobs).toEqual([
      { languages: ["uk", "pl"], translations: ["uk", "pl"] },
    ]);
  });

  it.each([
    ["translation-upload", [], "needs a target language"],
    ["multilingual", ["uk"], "needs at least two target languages"],
  ] as const)("that does not fit is the user's mistake: %s into %j", async (occasion, languages, says) => {
    await using run = await startSimulation({ serves: oneImport, answer: keepsAll });
    const error = await usageErrorOf(run.sim.postImport({ name: "the job", job: jobInto(...languages) }, { occasion }));
    expect(error).toMatchObject({ code: "occasion-invalid", hint: expect.stringContaining("source-upload") });
    expect(error.message).toContain(`the job: the occasion ${occasion} ${says}`);
    expect(run.app.calls).toEqual([]);
  });
});

describe("1 who may use a module", () => {
  type Edition = "standard" | "enterprise";

  async function importAs(user: string, edition: Edition, access: object) {
    await using app = await startFakeApp({ manifest: oneImport });
    app.answer(keepsAll);
    const options = { app: { url: app.url, ...access }, organization: { edition } };
    await using run = await startSimulation({ serves: oneImport, ...options });
    const job = firstJob(await run.sim.postImport({ name: "the job", job: jobInto("uk") }, { user }));
    return { job, calls: app.calls };
  }

  it.each<[Edition, object, allowed: string, denied: string, category: string]>([
    ["standard", { postImportAccess: "project-owner" }, "owner", "admin", "project owners"],
    ["standard", { postImportAccess: "project-members" }, "member", "outsider", "members of the project"],
    ["standard", {}, "member", "outsider", "members of the project"],
    [
      "standard",
      { postImportAccess: "selected-users", postImportUsers: ["milan.member"] },
      "milan.member",
      "owner",
      "selected users (milan.member)",
    ],
    ["enterprise", { postImportAccess: "organization-admins" }, "admin", "manager", "organization admins"],
    ["enterprise", { postImportAccess: "organization-users" }, "member", "outsider", "users in the organization's"],
    ["enterprise", {}, "member", "outsider", "users in the organization's projects"],
    [
      "enterprise",
      { postImportAccess: "selected-users", postImportUsers: ["otto.outsider"] },
      "outsider",
      "admin",
      "selected users (otto.outsider)",
    ],
  ])("%s edition, %j: %s may, %s may not", async (edition, access, allowed, denied, category) => {
    const passed = await importAs(allowed, edition, access);
    expect(passed.job).toMatchObject({ outcome: "imported", module: "tidy" });
    const skipped = await importAs(denied, edition, access);
    expect(skipped.job).toMatchObject({ outcome: "skipped", module: null, failure: null, exchanges: [] });
    expect(skipped.job.error).toContain(`tidy: only ${category}`);
    expect(skipped.calls).toEqual([]);
  });

  it("is named in each job's result; the app learns it from the token", async () => {
    await using run = await startSimulation({ serves: oneImport, answer: keepsAll });
    const byManager = firstJob(await run.sim.postImport({ name: "job", job: jobInto() }));
    expect(byManager.user).toEqual({ id: 103, role: "manager" });
    const [, payload = ""] = bearerOf(onlyCall(run.app)).split(".");
    expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({ sub: "103" });
    const byAdmin = firstJob(await run.sim.postImport({ name: "job", job: jobInto() }, { user: "adam.admin" }));
    expect(byAdmin.user).toEqual({ id: 102, role: "admin" });
  });

  it("must be an existing user", async () => {
    await using run = await startSimulation({ serves: oneImport, answer: keepsAll });
    const error = await usageErrorOf(run.sim.postImport({ name: "job", job: jobInto() }, { user: "adam.admim" }));
    expect(error).toMatchObject({
      code: "unknown-user",
      message: expect.stringContaining('Did you mean "adam.admin"?'),
    });
    expect(run.app.calls).toEqual([]);
  });
});
