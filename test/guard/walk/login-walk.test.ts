import { describe, expect, test } from "vitest";
import { guardEntry, unusedPort } from "../../rig/fake-app.ts";
import { startLineInTerminal } from "../../rig/line-terminal.ts";
import { keys } from "../../rig/terminal.ts";
import { direct, frame, redirect } from "./walk-guards.ts";
import {
  comeBack,
  enterPassword,
  everyStage,
  expectRestored,
  reachPage,
  startRealWalk,
  startWalk,
} from "./walk-rig.ts";

describe("a login with keys", () => {
  test("to granted, through every stage and every type of guard that needs no user", async () => {
    await using walk = await startWalk([direct, redirect, frame], everyStage);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: true }));
    await enterPassword(walk);
    await term.shows(/Authenticator {2}\d{3} \d{3} .* \d+ s left/);
    term.press(keys.enter);
    await term.shows("Device trust: needs you");
    term.press(keys.enter);
    await term.shows("Remember me: needs you");
    term.press(keys.enter);
    await term.shows(/✓ Remember me +passed[\s\S]*✓ Access +granted[\s\S]*── Access granted/);
    term.press(keys.enter);
    expect(await term.ended).toMatchObject({ code: 0 });
    expect(term.screen().join("\n")).toContain("Access granted");
    expect(app.calls.map(({ path }) => path)).toEqual(["/office", "/terms", "/presence"]);
    await expectRestored(walk);
  });

  test("to denied, with the app's words, and the report after it", async () => {
    await using walk = await startWalk([direct]);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: false, message: "Not from here." }));
    await enterPassword(walk);
    await term.shows(/✗ Guard office +denied: Not from here\.[\s\S]*── Access denied by office/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 1 });
    expect(term.screen().join("\n")).toContain("Access denied by office: Not from here.");
    await expectRestored(walk);
  });

  test("a redirect guard: the link, the user's return, the final call", async () => {
    await using walk = await startWalk([redirect]);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: (call.json() as { code?: string }).code === "1234" }));
    await enterPassword(walk);
    const screen = await term.shows(/Guard terms: needs you ─+ \d+:\d\d left[\s\S]*Open this link in a browser:/);
    await comeBack(screen, { code: "1234" });
    await term.shows("── Access granted");
    term.press(keys.enter);
    expect(await term.ended).toMatchObject({ code: 0 });
    expect(app.calls).toHaveLength(2);
    await expectRestored(walk);
  });

  test("an interaction that fails denies", async () => {
    await using walk = await startWalk([redirect]);
    const { term } = walk;
    await comeBack(await reachPage(walk), { error: "Terms were declined" });
    await term.shows(/✗ Guard terms +denied: Terms were declined/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 1 });
  });

  test.each([
    ["the password", "Password", [], 0],
    ["the second factor", "Second factor", ["--mfa"], 1],
    ["device trust", "Device trust", ["--device-trust"], 1],
  ])("%s failed on purpose: asked again, and denied after three tries", async (_, name, args, before) => {
    await using walk = await startWalk([direct], args);
    const { term } = walk;
    for (let stage = 0; stage < before; stage++) {
      await enterPassword(walk);
    }
    for (const attempt of [1, 2, 3]) {
      await term.shows(new RegExp(`── ${name}: needs you ─+ try ${attempt} of 3`));
      term.press("x");
    }
    await term.shows(new RegExp(`✗ ${name} +denied: `));
    expect(walk.app.calls).toEqual([]);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 1 });
    await expectRestored(walk);
  });

  test("a retry after a denial: what was passed needs no keys, and the last login counts", async () => {
    await using walk = await startWalk([direct], ["--mfa"]);
    const { app, term } = walk;
    await enterPassword(walk);
    await term.shows("Second factor: needs you");
    term.press(keys.enter);
    (await app.nextCall()).reply({ success: false, message: "Not now." });
    await term.shows("── Access denied by office");
    term.press("r");
    (await app.nextCall()).reply({ success: true });
    await term.shows(/login 2 · acme[\s\S]*── Access granted/);
    term.press(keys.enter);
    expect(await term.ended).toMatchObject({ code: 0 });
    await expectRestored(walk);
  });

  test("an app that does not listen: what is wrong, and a retry once it does", async () => {
    const port = await unusedPort();
    await using term = startLineInTerminal(["guard", "--app", `http://127.0.0.1:${port}`, "--port", "0", "--no-open"]);
    await term.shows(/── Login failed ─+\n\n {2}no manifest from[\s\S]*hint: start the app/);
    term.press("r");
    await term.shows(/^Login +login 2\n[\s\S]*── Login failed/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 3 });
    expect(term.leftChanged()).toEqual([]);
  });

  test("an unknown guard is the user's mistake: reported on the previous screen", async () => {
    await using walk = await startRealWalk([direct], ["--module", "ofice"]);
    expect(await walk.term.ended).toMatchObject({ code: 2 });
    expect(walk.term.screen().join("\n")).toContain('there is no auth-guard module "ofice"');
    await expectRestored(walk);
  });

  test("requests and answers of any exchange, and the other stages", async () => {
    await using walk = await startWalk([direct, guardEntry("bank")]);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: true, message: "fine" }));
    await enterPassword(walk);
    await term.shows("── Access granted");
    term.press("d");
    await term.shows(
      /── Exchange 2 of 2 ─+ rows 1-\d+ of \d+ ──[\s\S]*→ POST [\s\S]*\/bank[\s\S]*the token's content:/,
    );
    term.press(keys.left);
    await term.shows(/── Exchange 1 of 2 [\s\S]*→ POST [\s\S]*\/office/);
    for (let page = 0; page < 4; page++) term.press("\u001b[6~");
    await term.shows(/← 200[\s\S]*"message": "fine"/);
    term.press(keys.escape);
    await term.shows("── Access granted");
    term.press(keys.up);
    term.press(keys.up);
    await term.shows(/›✓ Guard bank[\s\S]*── Guard bank: passed/);
    term.press("?");
    await term.shows(/── Keys [\s\S]*Ctrl-C/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 0 });
    await expectRestored(walk);
  });
});
