import { describe, expect, test } from "vitest";
import type { AppCall } from "../../rig/fake-app.ts";
import { keys } from "../../rig/terminal.ts";
import { direct, redirect } from "./walk-guards.ts";
import { startWalk } from "./walk-rig.ts";

const fromGuards = ["--from", "guards"];
const body = (call: AppCall) => call.json() as { code?: string; userId: number; ipAddress: string };

describe("a walk that begins at the guards", () => {
  test("asks for nothing that is irrelevant to the app", async () => {
    await using walk = await startWalk([direct], fromGuards);
    const { app, term } = walk;
    (await app.nextCall()).reply({ success: true });
    await term.shows(/✓ Password +passed[\s\S]*── Access granted/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 0 });
  });

  test("c and e return from a page with the typed text, and Esc does not", async () => {
    await using walk = await startWalk([redirect], fromGuards);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: body(call).code === "12q4" }));
    await term.shows(/e error/);
    term.press("c");
    await term.shows("── Come back from the page with a code");
    term.press(keys.enter);
    await term.shows("Type the code first.");
    term.type("12q45");
    await term.shows("Code: 12q45▏");
    term.press("\u007f");
    term.press(keys.enter);
    await term.shows("── Access granted");
    expect(app.calls.map((call) => body(call).code)).toEqual([undefined, "12q4"]);
    term.press("r");
    await term.shows(/login 2[\s\S]*e error/);
    term.press("e");
    await term.shows("Error: ▏");
    term.press(keys.escape);
    await term.shows(/Guard terms: .*left/);
    term.press("e");
    term.type("not me");
    await term.shows("Error: not me▏");
    term.press(keys.enter);
    await term.shows(/✗ Guard terms +denied: not me/);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 1 });
  });

  test("u is another user, i another address, g only one guard, a all of them again", async () => {
    await using walk = await startWalk([direct, redirect], fromGuards);
    const { app, term } = walk;
    app.answer((call) => call.reply({ success: true }));
    await term.shows(/\(member, user 104\) from 203\.0\.113\.10[\s\S]*── Access granted/);
    term.press("u");
    await term.shows(/\(outsider, user 105\)[\s\S]*── Access granted/);
    term.press("i");
    term.type("here");
    await term.shows("IP address: here▏");
    term.press(keys.enter);
    await term.shows("That is not an IP address.");
    for (const _ of "here") term.press("\u007f");
    term.type("2001:db8::7");
    term.press(keys.enter);
    await term.shows(/\(outsider, user 105\) from 2001:db8::7[\s\S]*── Access granted/);
    expect(body(app.calls.at(-1) as AppCall)).toMatchObject({ userId: 105, ipAddress: "2001:db8::7" });
    const before = app.calls.length;
    term.press("g");
    await term.shows(/login 4[\s\S]*── Access granted/);
    expect(app.calls.slice(before).map(({ path }) => path)).toEqual(["/terms"]);
    term.press("a");
    await term.shows(/login 5[\s\S]*── Access granted/);
    expect(app.calls.slice(before + 1).map(({ path }) => path)).toEqual(["/office", "/terms"]);
    term.press("q");
    expect(await term.ended).toMatchObject({ code: 0 });
  });
});
