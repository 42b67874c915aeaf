import { setImmediate } from "node:timers/promises";
import { Chalk } from "chalk";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { columnsOf } from "../../src/output/layout.ts";
import { openInBrowser } from "../../src/output/open-in-browser.ts";
import { paintWith } from "../../src/output/paint.ts";
import { footerLines } from "../../src/serve/keys/footer-lines.ts";
import { showKeys } from "../../src/serve/keys/show-keys.tsx";
import { Transcript } from "../../src/serve/keys/transcript.ts";
import { createDisplay } from "../rig/display.ts";
import { guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { returning } from "../rig/imports.ts";
import { startLineInTerminal, streamsOf } from "../rig/line-terminal.ts";
import { jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { keys } from "../rig/terminal.ts";

// No browser of who runs the tests is to open.
vi.mock("../../src/output/open-in-browser.ts", () => ({ openInBrowser: vi.fn() }));
beforeEach(() => void vi.mocked(openInBrowser).mockClear());

const manifest = manifestOf({
  guards: [guardEntry("office")],
  imports: [{ key: "tidy", url: "/tidy" }],
  webhooks: [{ key: "events", url: "/events", events: ["project.approved"] }],
});

async function servedApp() {
  const app = await startFakeApp({ manifest });
  app.answer((call) => {
    if (call.path === "/office") call.reply({ success: false, message: "Not from home" });
    else if (call.path === "/tidy") call.reply(returning([record("1", "Save!")]));
    else call.send("", { status: call.path === "/events" ? 204 : 404 });
  });
  return app;
}

describe("the keys of app-sim serve in a terminal", () => {
  test("stand below the faults that are left", async () => {
    const port = await unusedPort();
    await using terminal = startLineInTerminal(["serve", "--port", String(port), "--fault", "token=500x2"], {
      rows: 60,
    });
    const footer = (faults: string) => terminal.shows(new RegExp(`down${faults}\\s+g log in`));
    const requestToken = () => fetch(`http://127.0.0.1:${port}/oauth/token`, { method: "POST" });
    await footer("\\s+faults token=500x2 \\(2 more\\)");
    await requestToken();
    await footer("\\s+faults token=500x2 \\(1 more\\)");
    await requestToken();
    await footer("");
  });

  test.each([40, 80, 200])("act on the platform and say how it ended, at %i columns", async (cols) => {
    using dir = makeTempDir();
    dir.write("fixtures/jobs/one.json", jobWith([record("1", "Save")]));
    await using app = await servedApp();
    const port = await unusedPort();
    await using terminal = startLineInTerminal(["serve", "--app", app.url, "--port", String(port)], {
      cwd: dir.path,
      cols,
      rows: 60,
    });
    await terminal.shows(/up[\s\S]*g log in/);
    terminal.press("g");
    await terminal.shows(/login: denied by office:\s+Not\s+from\s+home/);
    terminal.press("w");
    await terminal.shows(/delivery of project.approved:\s+acknowledged/);
    terminal.press("i");
    await terminal.shows(/import of one.json: imported,\s+1\s+string\s+changed/);
    const calls = app.calls.length;
    terminal.press("r");
    await terminal.shows(/(import of one.json[\s\S]*){2}/);
    expect(app.calls.length).toBe(calls + 1);
    terminal.press("o");
    await terminal.shows(/login by OAuth from \/login: failed:\s+the\s+app\s+answered\s+404/);
    terminal.press("?");
    await terminal.shows(/^c {2}clears the terminal$/m);
    terminal.press("q");
    expect((await terminal.ended).code).toBe(0);
    expect(terminal.screen().join("\n")).not.toContain("g log in");
    expect(terminal.leftChanged()).toEqual([]);
  });

  test.each([
    ["can be clicked", { VTE_VERSION: "6003" }, "\u001b]8;;http"],
    ["can be copied", {}, "  http"],
  ])("open pages for a person, with links that %s", async (_, env, link) => {
    await using app = await startFakeApp({
      manifest: manifestOf({
        guards: [{ key: "terms", name: "Terms", url: "/terms", options: { type: "redirect", url: "/terms/page" } }],
      }),
    });
    app.answer((call) => call.reply({ success: false }));
    await using terminal = startLineInTerminal(["serve", "--app", app.url, "--port", "0"], { cols: 80, rows: 60, env });
    await terminal.shows("g log in");
    terminal.press("g");
    await terminal.shows(/login: terms asks for the user: log in on the page\s+http:\S+\/acme\/login/);
    expect(terminal.screen().join("\n")).not.toMatch(/--(press|browser|code)/);
    terminal.press("b");
    await terminal.shows(/inspector: this link opens it, once\s+http:\S+#open=/);
    expect(openInBrowser).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^http:\S+#open=\S+$/));
    expect(terminal.raw()).toContain(link);
    terminal.press("q");
    await terminal.ended;
  });

  test("verify with a count of the checks, in the fixed line", async () => {
    let release = () => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer(async (call) => {
      if (call.path === "/office") await asked;
      call.reply({ success: false });
    });
    const args = ["serve", "--app", app.url, "--port", "0"];
    await using terminal = startLineInTerminal(args, { cols: 80, rows: 60 });
    await terminal.shows("g log in");
    terminal.press("v");
    await terminal.shows(/verify: checks \d+ of [1-9][\d,]* …/);
    terminal.press("g");
    await terminal.shows("g is ignored: verify is still running");
    release();
    // The footer is drawn again some time after the line above it.
    await terminal.shows(/^(?![\s\S]*checks \d+ of)[\s\S]*verify: inconclusive/);
    terminal.press("q");
    await terminal.ended;
  });

  test("stay at the bottom of a resized terminal, and the lines above are drawn again", async () => {
    await using app = await servedApp();
    const args = ["serve", "--app", app.url, "--port", "0"];
    await using terminal = startLineInTerminal(args, { cols: 100, rows: 60 });
    await terminal.shows(/up[\s\S]*g log in/);
    terminal.press("g");
    await terminal.shows("login: denied by office");
    for (const [cols, head] of [
      [60, "Times are in UTC."],
      [100, "ID        UTC       WHAT"],
    ] as const) {
      terminal.resize(cols, 60);
      await terminal.shows(new RegExp(`${head}[\\s\\S]*q end`));
      const shown = terminal.screen().join("\n");
      for (const once of [/─+/g, /The platform is ready/g, new RegExp(head, "g"), /login: denied/g, /g log in/g])
        expect(shown.match(once)).toHaveLength(1);
      expect(shown).toMatch(/^ {2}client secret {2}app-sim-client-secret-long-enough-for-HS256$/m);
      // In whole words, and in the columns of the new width.
      expect(shown).toMatch(
        cols === 60 ? /^\w+ {2}\S+ {2}guard office\n {2}200/m : /guard office +200 in \S+ ms +POST \/office$/m,
      );
    }
    terminal.press("q");
    await terminal.ended;
  });

  test("say that nothing listens if there is no app to deliver to", async () => {
    const args = ["serve", "--app", `http://127.0.0.1:${await unusedPort()}`, "--port", "0"];
    await using terminal = startLineInTerminal(args, { cols: 160, rows: 60 });
    await terminal.shows("g log in");
    terminal.press("w");
    await terminal.shows(/delivery: no manifest from \S+ nothing\s+listens at/);
    terminal.press("q");
    await terminal.ended;
  });

  test("leave nothing of the footer if they end while it changes", async () => {
    const display = createDisplay({ cols: 80, rows: 24 });
    const paint = paintWith(new Chalk({ level: 0 }), 80);
    const state = {
      url: "http://platform",
      app: "http://app",
      isUp: true,
      clock: "",
      faults: "",
      running: null,
      keys: [],
    };
    const screen = showKeys({
      ...streamsOf(display),
      paint,
      transcript: new Transcript(),
      start: state,
      onKey: () => {},
    });
    // The first is drawn at once, the others wait for the next picture.
    for (const running of ["first", "second", "third"]) {
      screen.change({ running });
      await setImmediate();
    }
    screen.write("a line\n");
    await screen.end();
    screen.write("the end\n");
    await display.settled();
    expect(display.screen().join("\n").trimEnd()).toBe("a line\nthe end");
  });

  test("Ctrl-C is the normal end, and --no-keys disables the keys", async () => {
    using dir = makeTempDir();
    await using app = await servedApp();
    const args = ["serve", "--app", app.url, "--port", "0"];
    await using terminal = startLineInTerminal(args, { cwd: dir.path });
    await terminal.shows("g log in");
    terminal.press(keys.ctrlC);
    expect((await terminal.ended).code).toBe(0);
    await using plain = startLineInTerminal([...args, "--no-keys"], { cwd: dir.path });
    await plain.shows(/manifest of/);
    expect(plain.isRaw()).toBe(false);
    expect(plain.screen().join("\n")).not.toContain("g log in");
    plain.interrupt();
    await plain.ended;
  });
});

test("the footer fits every width, and wraps in a narrow terminal", () => {
  const paint = paintWith(new Chalk({ level: 0 }), 80);
  const state = {
    ...{ url: "http://127.0.0.1:7410", app: "http://127.0.0.1:3000", isUp: true, clock: "2h ahead of real time" },
    ...{ faults: "token=500 (2 more)", running: "verify" },
    keys: [..."gwiovrbc?q"].map((key) => ({ key, label: "something" })),
  };
  for (let cols = 20; cols <= 200; cols++) {
    const lines = footerLines(state, cols, paint);
    expect(lines.filter((line) => columnsOf(line) > cols)).toEqual([]);
    expect(lines.join("\n").match(/something/g)).toHaveLength(10);
  }
  expect(footerLines(state, 200, paint)).toHaveLength(3);
});
