import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { returning } from "../rig/imports.ts";
import { runLine, startLine } from "../rig/line.ts";
import { startLineInTerminal } from "../rig/line-terminal.ts";
import { always, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const guards = manifestOf({ guards: [guardEntry("office")] });

describe("--watch", () => {
  test("runs again when the app has restarted, whatever the last result was; Ctrl-C is the normal end", async () => {
    using dir = makeTempDir();
    const port = await unusedPort();
    const url = `http://127.0.0.1:${port}`;
    await using line = startLine(["guard", "--watch", "--app", url, "--port", "0"], { cwd: dir.path });
    await line.printed(/Watching .*: Ctrl-C ends it/);
    expect(line.stdout()).toContain("nothing listens at");
    for (const round of [1, 2]) {
      await using app = await startFakeApp({ manifest: guards, port });
      const logins: unknown[] = [];
      const called = new Promise<void>((resolve) =>
        app.answer((call) => {
          logins.push(call.json());
          call.reply({ success: true });
          resolve();
        }),
      );
      await called;
      await line.printed(new RegExp(`(Access granted[^]*){${round}}`));
      expect(logins).toHaveLength(1);
      expect(line.stderr()).toMatch(new RegExp(`(Again: the app at ${url} has started\\.[^]*){${round}}`));
    }
    line.signal("SIGINT");
    expect((await line.done).code).toBe(0);
  });

  test("runs again when a fixture was changed: one line of JSON for each run; a half-written file is reported", async () => {
    using dir = makeTempDir();
    const fixture = dir.write("one.json", jobWith([record("1", "Save")]));
    await using app = await startFakeApp({ manifest: manifestOf({ imports: [{ key: "tidy", url: "/tidy" }] }) });
    app.answer(always(returning([record("1", "Save!")])));
    const args = ["post-import", fixture, "--watch", "--format", "json", "--app", app.url, "--port", "0"];
    await using line = startLine(args, { cwd: dir.path });
    await line.printed(/Watching/);
    dir.write("one.json", "{");
    await line.printed(/"code": "not-json"/);
    dir.write("one.json", jobWith([record("1", "Save"), record("2", "Open")]));
    await line.printed(/^(\{"command":"post-import".*\n){2}/);
    line.signal("SIGINT");
    const { code, stdout } = await line.done;
    expect(code).toBe(0);
    const runs = stdout
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(runs.map(({ command, jobs }) => [command, jobs[0].sent.strings])).toEqual([
      ["post-import", 1],
      ["post-import", 2],
    ]);
    // Nobody asked the app without a reason.
    expect(app.calls).toHaveLength(2);
  });

  test("runs again when a file that a fixture names was changed, also for a scenario with that fixture", async () => {
    using dir = makeTempDir();
    dir.write("texts/en.json", '{"save":"Save"}');
    dir.write("jobs/one.json", {
      file: { path: "../texts/en.json" },
      targetLanguages: ["uk"],
      strings: [{ identifier: "save", text: "Save" }],
    });
    dir.write("round.yml", "name: round\nsteps:\n  - import:\n      file: jobs/one.json\n");
    await using app = await startFakeApp({ manifest: manifestOf({ imports: [{ key: "tidy", url: "/tidy" }] }) });
    app.answer((call) => call.reply({ data: { strings: (call.json() as { strings: unknown }).strings } }));
    const args = ["run", "round.yml", "--watch", "--app", app.url, "--port", "0"];
    await using line = startLine(args, { cwd: dir.path });
    await line.printed(/Watching .*round\.yml, .*|Watching .*3 files/);
    for (const [round, name] of ["texts/en.json", "jobs/one.json"].entries()) {
      dir.write(name, `${readFileSync(join(dir.path, name), "utf8")} `);
      await line.printed(new RegExp(`Again: ${basename(name)} was changed`));
      await line.printed(new RegExp(`(Passed: 1 scenario[^]*){${round + 2}}`));
    }
    line.signal("SIGINT");
    expect((await line.done).code).toBe(0);
  });

  test("in a terminal the prompt does not follow the ^C on the same line", async () => {
    using dir = makeTempDir();
    const args = ["webhook", "a.b", "--watch", "--app", `http://127.0.0.1:${await unusedPort()}`, "--port", "0"];
    await using terminal = startLineInTerminal(args, { cwd: dir.path, cols: 200 });
    await terminal.shows("Ctrl-C ends it.");
    terminal.interrupt();
    await terminal.ended;
    expect(terminal.raw()).toMatch(/Ctrl-C ends it\.\r?\n\r?\n$/);
  });

  test("a mistake at the start ends it, and so does a format whose reports cannot be concatenated", async () => {
    using dir = makeTempDir();
    const missing = await runLine(["post-import", "none.json", "--watch"], { cwd: dir.path });
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    const junit = await runLine(["verify", "--watch", "--format", "junit"], { cwd: dir.path });
    expect(junit).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--watch has no format junit.*text, and json/s),
    });
    expect((await runLine(["load", "--watch"], { cwd: dir.path })).stderr).toContain("unknown option '--watch'");
  });
});
