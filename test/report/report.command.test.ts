import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "cheerio";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { harProblems } from "../rig/har.ts";
import { exchangeRecord, journalText } from "../rig/journal-lines.ts";
import { runLine, startLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let directory: TempDir;
let app: FakeApp;
beforeEach(async () => {
  directory = makeTempDir();
  app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
  app.answer(always({ success: true }));
});
afterEach(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

const run = (...args: string[]) => runLine(args, { cwd: directory.path });
const read = (name: string) => readFileSync(join(directory.path, name), "utf8");

test("a slow report shows its progress on stderr", async () => {
  directory.write("large/journal.ndjson", journalText([exchangeRecord("1")]));
  // Each step takes longer than a second.
  const ticking = vi.spyOn(globalThis, "setInterval").mockImplementation((tick: () => void) => {
    tick();
    return setTimeout(() => {}, 0);
  });
  await using line = startLine(["report", "--journal", "large", "--out", "r.md"], { cwd: directory.path });
  const { code } = await line.done.finally(() => ticking.mockRestore());
  expect([code, line.stderr().split("\n")]).toEqual([
    0,
    ["in progress: reading the journal", "in progress: judging 1 record", "in progress: writing r.md", ""],
  ]);
});

describe("--evidence", () => {
  test("a command writes a report about itself in every format", async () => {
    const files = ["a.html", "a.har", "a.ndjson", "a.md"];
    const flags = files.flatMap((file) => ["--evidence", file]);
    const { code, stdout, stderr } = await run("guard", "--app", app.url, ...flags);
    expect([code, stderr]).toEqual([0, files.map((file) => `evidence: ${file}\n`).join("")]);
    const $ = load(read("a.html"));
    expect($("h1").text()).toBe(`app-sim guard --app ${app.url} ${flags.join(" ")}`);
    expect($(".outcome").text()).toBe("As expected (exit code 0)");
    expect($("#printed ~ pre").text()).toBe(stdout.trimEnd());
    expect($("article")).toHaveLength(3);
    const har = JSON.parse(read("a.har"));
    expect(harProblems(har)).toEqual([]);
    expect(har.log.entries).toHaveLength(2);
    expect(read("a.md")).toContain("## app-sim: ✓ As expected (exit code 0)");
    directory.write("again/journal.ndjson", read("a.ndjson"));
    const { records } = onlyObject((await run("log", "--journal", "again", "--format", "json")).stdout);
    expect(records.map(({ type }: { type: string }) => type)).toEqual(["exchange", "exchange", "login"]);
    // A report may be written anew.
    for (const file of files)
      expect(await run("guard", "--app", app.url, "--evidence", file)).toMatchObject({ code: 0 });
  });

  test("a command that starts a platform writes its report at the end, without the secrets that it prints", async () => {
    directory.write(
      "app-sim.config.json",
      JSON.stringify({ app: { url: app.url, appSecret: "canary-app-secret" }, port: 0 }),
    );
    const nothing = [process.execPath, "-e", "process.exitCode = 3"];
    const { code, stderr } = await run("exec", "--evidence", "e.html", "--evidence", "e.ndjson", "--", ...nothing);
    expect([code, stderr]).toEqual([3, "evidence: e.html\nevidence: e.ndjson\n"]);
    expect(load(read("e.html"))(".outcome").text()).toBe("Not as expected (exit code 3)");
    const demo = await run("demo", "--evidence", "d.html", "--evidence", "d.har");
    expect(demo.code).toBe(0);
    const $ = load(read("d.html"));
    expect($("#printed ~ pre").text()).toBe(demo.stdout.trimEnd());
    expect(JSON.parse(read("d.har")).log.entries.length).toBeGreaterThan(5);
    await using serving = startLine(["serve", "--evidence", "s.html"], { cwd: directory.path });
    await serving.printed(/manifest of/);
    await serving[Symbol.asyncDispose]();
    expect(serving.stdout()).toContain("canary-app-secret");
    expect(load(read("s.html"))("#printed ~ pre").text()).toContain("The platform is ready at");
    expect(read("s.html")).not.toMatch(/canary-app-secret|#open=/);
  });

  test("findings of verify have the difference to the request that was accepted", async () => {
    const only = [
      "verify",
      "--app",
      app.url,
      "--only",
      "guard.token.expired",
      "--evidence",
      "v.html",
      "--evidence",
      "v.md",
    ];
    // The search for a request that is refused finds none, as this app checks nothing.
    const { code } = await run(...only, "--format", "json");
    expect(code).toBe(1);
    const $ = load(read("v.html"));
    expect($(".finding h3").first().text()).toMatch(/^✗ failed guard\.token\.expired /);
    const cells = $(".finding table td, .finding table th[scope=row]")
      .get()
      .map((cell) => $(cell).text());
    expect(cells).toEqual([
      "token.claims.exp",
      expect.stringMatching(/ s after it was sent/),
      expect.stringMatching(/ s before it was sent/),
    ]);
    const links = $(".finding dd a")
      .get()
      .map(({ attribs }) => attribs.href ?? "");
    expect(links.map((link) => $(link).length)).toEqual([1, 1]);
    expect(read("v.md")).toMatch(/differs from the accepted request in: token\.claims\.exp: \d+/);
  });

  test.each([
    ["a file that is none of ours", "notes.md", "report-exists"],
    ["a folder that is not there", "no/such/a.html", "report-unwritable"],
  ])("is refused for %s, before anything is sent", async (_, file, error) => {
    directory.write("notes.md", "# Mine");
    const { code, stderr } = await run("guard", "--app", app.url, "--evidence", file, "--format", "json");
    expect([code, onlyObject(stderr).error.code]).toEqual([2, error]);
    expect(app.calls).toEqual([]);
    expect(read("notes.md")).toBe("# Mine");
  });

  test("is refused for another kind of file, and by a command that calls no app", async () => {
    const other = await run("guard", "--app", app.url, "--evidence", "a.pdf");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(".html, .har, .ndjson, .md") });
    expect(await run("choices", "--evidence", "a.html")).toMatchObject({ code: 2 });
  });
});

describe("app-sim report", () => {
  test("writes what the journal has since then", async () => {
    directory.write(
      ".app-sim/journal.ndjson",
      journalText([exchangeRecord("old", { startedAt: "2020-01-01T00:00:00.000Z" }), exchangeRecord("new"), "{torn"]),
    );
    const result = await run(
      "report",
      "--since",
      "2025-01-01",
      "--out",
      "r.html",
      "--out",
      "r.har",
      "--format",
      "json",
    );
    expect([result.code, onlyObject(result.stdout)]).toEqual([
      0,
      { command: "report", records: 1, files: ["r.html", "r.har"] },
    ]);
    const $ = load(read("r.html"));
    expect($("h1").text()).toBe("What the journal contains");
    expect($("article")).toHaveLength(1);
    expect($("header").text()).toContain("1 line of the journal cannot be read.");
    expect(JSON.parse(read("r.har")).log.entries).toHaveLength(1);
  });

  test("of an empty journal is also a report", async () => {
    expect(await run("report", "--out", "r.html")).toMatchObject({ code: 0 });
    expect(read("r.html")).toContain("There are no records.");
    expect(existsSync(join(directory.path, ".app-sim"))).toBe(false);
  });

  test("needs a file", async () => {
    expect(await run("report")).toMatchObject({ code: 2, stderr: expect.stringContaining("--out") });
  });
});
