import { describe, expect, it } from "vitest";
import { createJournal } from "../../src/journal/journal.ts";
import { importEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { returning } from "../rig/imports.ts";
import { always, assemble, jobWith, onlyCall, record, startSimulation } from "../rig/simulation.ts";

const strings = [record("1", "Save")];
const job = jobWith(strings);

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

  it("may match no module: the job is skipped, and each module says why", async () => {
    await using run = await startSimulation({ serves, answer: always(returning(strings)) });
    const { jobs } = await run.sim.postImport({ name: "the job", job: named("menu.po", "") });
    expect(jobs).toMatchObject([{ module: null, outcome: "skipped", failure: null }]);
    for (const key of ["xml", "titled", "json"]) expect(jobs[0]?.error).toContain(`${key}: its fileName`);
    expect(run.app.calls).toEqual([]);
  });

  it("S23: a slow one is abandoned, and the next module is tried", async () => {
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
  ])("are interrupted %s: nothing is sent, and there is no report that no module matches", async (_, when) => {
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

  it("may be missing, but a module may not", async () => {
    await using run = await startSimulation({ serves: manifestOf({}) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([
      { outcome: "skipped", error: "the manifest declares no file-post-import module", exchanges: [] },
    ]);
  });
});
