import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { keys } from "../../rig/terminal.ts";
import { direct, frame, redirect } from "./walk-guards.ts";
import { enterPassword, everyStage, expectRestored, reachPassword, startRealWalk, startWalk } from "./walk-rig.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
const sgr = /\u001b\[[\d;:]*m/;

describe("the screen", () => {
  test("R30: 20×5 is enough to walk a login", async () => {
    await using walk = await startWalk([direct, redirect], ["--mfa"], { cols: 20, rows: 5 });
    const { app, term } = walk;
    await term.shows(/^›● Password {2}needs …\n[\s\S]*\nEnter right… {2}\? keys\n$/);
    term.press(keys.enter);
    await term.shows(/^›● Second factor {2}n…\n\d{3} \d{3} {3}\d+ s left\n/);
    term.press(keys.enter);
    const call = await app.nextCall();
    await term.shows(/^›● Guard office[\s\S]*\d\.\d s of 10 s/);
    call.reply({ success: true });
    (await app.nextCall()).reply({ success: false });
    await term.shows(/^›● Guard terms {2}nee…\n\d+:\d\d left\n/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 1 });
    await expectRestored(walk);
  });

  test("R30: a resize changes the layout, whatever is shown", async () => {
    await using walk = await startWalk([direct]);
    const { app, term } = walk;
    const whole =
      /^Login as .*\n[\s\S]*── Password: needs you ─+ try 1 of 3 ──\n[\s\S]*\nEnter right password {2}x wrong password/;
    await term.shows(whole);
    for (const [cols, rows] of [
      [20, 5],
      [120, 40],
      [60, 12],
      [200, 10],
      [80, 24],
    ] as const) {
      term.resize(cols, rows);
      await term.shows(
        rows > 8 ? new RegExp(`\\n── Password: needs you ─{${cols - 37}} try 1 of 3 ──\\n`) : /^›● Password/,
      );
    }
    await term.shows(whole);
    term.press(keys.enter);
    const call = await app.nextCall();
    await term.shows("calling the app");
    term.resize(40, 10);
    await term.shows(/\n── Guard office: calling the app ─*\n/);
    call.reply({ success: true });
    await term.shows(/^\S+ from [\d.]+ *\n[\s\S]*›✓ Access[\s\S]*── Access granted ─+\n/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 0 });
    const report = stripVTControlCharacters(term.raw().split("\u001b[?1049l").at(-1) ?? "");
    expect(report).toContain("granted");
    expect(report.split("\n").filter((line) => line.length > 40)).toEqual([]);
    // What can be scrolled back to is the user's own.
    expect(term.raw()).not.toContain("\u001b[3J");
    await expectRestored(walk);
  });

  test("R31: with NO_COLOR there are no colours", async () => {
    await using walk = await startRealWalk([direct], [...everyStage], { env: { NO_COLOR: "1" } });
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: false, message: "no" }));
    for (const stage of ["Password", "Second factor", "Device trust"]) {
      await term.shows(`${stage}: needs you`);
      term.press("x");
      await term.shows(/try 2 of 3/);
      term.press(keys.enter);
    }
    await term.shows("── Access denied by office");
    term.press("d");
    await term.shows("Exchange 1 of 1");
    term.press("q");
    expect((await term.ended).raw).not.toMatch(sgr);
  });

  test("S15: an app's text cannot control the terminal, or shift a row", async () => {
    const evil = "\u001b[2J\u001b]52;c;aGk=\u0007\u001b[1;1H\u202ecod\u009b31m\r\n日本👩‍💻";
    const guards = [{ ...frame, name: evil, description: evil, key: "ke\u001by" }, direct];
    await using walk = await startWalk(guards);
    const { app, term } = walk;
    await enterPassword(walk);
    (await app.nextCall()).reply({ success: false, message: evil });
    const screen = await term.shows(/Open this link in a browser:/);
    expect(screen[0]).toMatch(/^Login as /);
    expect(screen.at(-2)).toMatch(/^c code /);
    expect(screen.find((line) => line.startsWith("›●"))).toMatch(/␛\[2J.*needs you +ke␛y · frame$/);
    expect(screen.join("\n")).toContain("<U+202E>cod");
    term.press("d");
    await term.shows("Exchange 1 of 1");
    term.press("q");
    const { raw } = await term.ended;
    for (const harmful of ["\u001b[2J", "\u001b]52", "\u202e", "\u009b", "\u0007"]) expect(raw).not.toContain(harmful);
    await expectRestored(walk);
  });

  test("keys that arrive in one chunk all count", async () => {
    await using walk = await startWalk([direct], ["--mfa", "--device-trust"]);
    await reachPassword(walk);
    walk.term.press("x\r\rx");
    await walk.term.shows(/✓ Password +passed\n ✓ Second factor +passed\n›● Device trust[\s\S]*try 2 of 3/);
  });
});
