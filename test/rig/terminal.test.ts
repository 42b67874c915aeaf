import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { makeTempDir } from "./temp-dir.ts";
import { keys, startInTerminal, startTerminal, type TerminalOptions } from "./terminal.ts";

/** A program of node in a terminal; to the end of the test unless it ends by itself. */
function run(script: string, options: TerminalOptions = {}) {
  return startInTerminal(process.execPath, ["--eval", script], options);
}

const stay = "setInterval(() => {}, 1000);";
/** Prints the bytes of each key in hexadecimal, and ends at "q". */
const echoKeys = `
  process.stdin.setRawMode(true).on("data", (bytes) => {
    process.stdout.write(bytes.toString("hex") + " ");
    if (bytes.includes("q")) process.exit(3);
  });
  process.stdout.write("ready ");
`;

describe("app-sim in a terminal", () => {
  it("writes its help onto the screen and leaves the terminal as it was", async () => {
    await using term = startTerminal(["--help"], { rows: 160 });
    expect(await term.ended).toMatchObject({ code: 0, signal: null });
    expect(term.screen()[0]).toMatch(/^Usage: app-sim /);
    expect(term.screen()).toHaveLength(160);
    expect(term.leftChanged()).toEqual([]);
  });

  it("ends with its exit code", async () => {
    await using term = startTerminal(["no-such-command"]);
    await term.shows("no-such-command");
    expect(await term.ended).toMatchObject({ code: 2, signal: null });
  });
});

describe("the program's surroundings", () => {
  it("are a terminal of the given size, a separate HOME, PATH and what the test adds", async () => {
    const script = `
      const { HOME, PATH, ...others } = process.env;
      const { columns, rows, isTTY } = process.stdout;
      console.log(JSON.stringify({ HOME, others, cwd: process.cwd(), columns, rows, isTTY, in: process.stdin.isTTY }));
    `;
    await using term = run(script, { cols: 100, rows: 10, env: { NO_COLOR: "1" } });
    const { raw } = await term.ended;
    const { HOME, ...seen } = JSON.parse(raw);
    const { CHROME_PATH } = process.env;
    const chromium = CHROME_PATH === undefined ? {} : { CHROME_PATH };
    expect(seen).toEqual({
      others: { NO_COLOR: "1", TERM: "xterm-256color", PWD: HOME, ...chromium },
      cwd: HOME,
      columns: 100,
      rows: 10,
      isTTY: true,
      in: true,
    });
    expect(existsSync(HOME)).toBe(false);
  });

  it("have the TERM and the directory of the test", async () => {
    await using term = run("console.log(process.env.TERM, process.cwd())", { env: { TERM: "dumb" }, cwd: "/" });
    expect((await term.ended).raw).toBe("dumb /\r\n");
  });
});

describe("the screen", () => {
  it("is what a person sees: escape sequences applied, trailing spaces removed, older lines scrolled away", async () => {
    await using term = run(`process.stdout.write("one\\ntwo\\n\\x1b[31mthree \\x1b[0m\\x1b[1A\\rTWO\\n\\nfour")`, {
      rows: 3,
    });
    const { raw } = await term.ended;
    expect(raw).toContain("\x1b[31mthree");
    expect(term.screen()).toEqual(["TWO", "three", "four"]);
  });

  it("shows a frame of synchronized output only when it is complete, even if it is soon replaced", async () => {
    const frame = (text: string) => `\\x1b[?2026h\\x1b[2J\\x1b[H${text}\\x1b[?2026l`;
    // The terminal's answer to the question behind the half frame makes the program go on.
    const script = `
      process.stdin.setRawMode(true).once("data", () => process.stdout.write(
        " whole\\x1b[?2026l${frame("soon replaced")}${frame("last")}"
      ));
      process.stdout.write("before\\x1b[?2026h\\x1b[2J\\x1b[Hhalf\\x1b[6n");
    `;
    await using term = run(script);
    const screens = await Promise.all(["before", "half", "soon replaced", "last"].map((text) => term.shows(text)));
    expect(screens.map(([row]) => row)).toEqual(["before", "half whole", "soon replaced", "last"]);
  });

  it("answers a program's queries to the terminal", async () => {
    await using term = run(`${echoKeys} process.stdout.write("\\x1b[6n");`);
    const whereTheCursorIs = Buffer.from("\x1b[1;7R").toString("hex");
    await term.shows(`ready ${whereTheCursorIs}`);
  });

  it("has the size that the person gives it, and the program hears of it", async () => {
    const size = `process.stdout.columns + "x" + process.stdout.rows`;
    await using term = run(`console.log(${size}); process.stdout.on("resize", () => console.log(${size})); ${stay}`);
    await term.shows("80x24");
    term.resize(20, 5);
    expect(await term.shows("20x5")).toHaveLength(5);
  });
});

describe("shows", () => {
  it("finds a pattern over several rows", async () => {
    await using term = run(`console.log("a\\nb"); ${stay}`);
    await term.shows(/^a\nb$/m);
  });

  it("rejects with the last screen when the program ends without", async () => {
    await using term = run(`console.log("something else")`);
    const error = "The program ended without showing /granted/; the last screen was:\nsomething else";
    await expect(term.shows(/granted/)).rejects.toThrow(error);
    await expect(term.shows("granted")).rejects.toThrow("something else");
    await term.shows("something else");
  });

  it("rejects with the last screen when its time is over", async () => {
    await using term = run(stay, { patienceMs: 50 });
    const error = "Within 50 ms the terminal did not show granted; the last screen was:";
    await expect(term.shows("granted")).rejects.toThrow(error);
  });
});

describe("the keyboard", () => {
  it("sends keys in one chunk, and text", async () => {
    await using term = run(echoKeys);
    await term.shows("ready");
    term.press(keys.up);
    await term.shows("ready 1b5b41");
    term.press(keys.ctrlC);
    await term.shows("1b5b41 03");
    term.type("éq");
    expect(await term.ended).toMatchObject({ code: 3 });
    expect(term.screen()[0]?.replaceAll(" ", "")).toBe("ready1b5b4103c3a971");
  });

  it("interrupts a program that does not read keys", async () => {
    await using term = run(`console.log("ready"); ${stay}`);
    await term.shows("ready");
    term.press(keys.ctrlC);
    expect(await term.ended).toMatchObject({ code: null, signal: "SIGINT" });
  });
});

describe("the end", () => {
  it("reports the signal", async () => {
    await using term = run(stay);
    term.kill("SIGTERM");
    expect(await term.ended).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  it("comes with all the output, even with what nobody had read when the program ended", async () => {
    using dir = makeTempDir();
    const script = `
      require("node:fs").writeFileSync("pid", String(process.pid));
      process.stdout.write("x" + "\u2500".repeat(2200) + "\\nlast");
    `;
    await using term = run(script, { cwd: dir.path });
    // Nothing is read meanwhile, as this process stands still.
    const wait = "until test -s pid; do :; done; while kill -0 $(cat pid); do :; done";
    spawnSync("sh", ["-c", wait], { cwd: dir.path, timeout: 10_000 });
    expect((await term.ended).raw).toBe(`x${"\u2500".repeat(2200)}\r\nlast`);
    expect(term.screen().at(-1)).toBe("last");
  });

  it("can be caused by disposing", async () => {
    const term = run(stay);
    await term[Symbol.asyncDispose]();
    expect(await term.ended).toMatchObject({ code: null, signal: "SIGKILL" });
    term.kill("SIGKILL");
  });

  test.each([
    ["the cursor is hidden", "?25l", "?25h"],
    ["the alternate screen is on", "?1049h", "?1049l"],
    ["bracketed paste is on", "?2004h", "?2004l"],
    ["synchronized output is on", "?2026h", "?2026l"],
    ["the mouse is reported", "?1000h", "?1000l"],
    ["the focus is reported", "?1004h", "?1004l"],
    ["the cursor keys are in application mode", "?1h", "?1l"],
    ["lines do not wrap", "?7l", "?7h"],
  ])("leaves behind that %s", async (what, change, restore) => {
    await using left = run(`process.stdout.write("\\x1b[${change}")`);
    await left.ended;
    expect(left.leftChanged()).toEqual([what]);
    await using restored = run(`process.stdout.write("\\x1b[${change}\\x1b[${restore}")`);
    await restored.ended;
    expect(restored.leftChanged()).toEqual([]);
  });
});
