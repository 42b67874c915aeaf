import { describe, expect, test } from "vitest";
import { keys } from "../../rig/terminal.ts";
import { direct, frame, redirect } from "./walk-guards.ts";
import {
  comeBack,
  enterPassword,
  expectRestored,
  reachPage,
  reachPassword,
  startWalk,
  type Walked,
} from "./walk-rig.ts";

type Reach = (walk: Walked) => Promise<unknown>;

/** How far a login gets before somebody ends it. */
const places: [name: string, guards: readonly unknown[] | null, args: readonly string[], reach: Reach][] = [
  [
    "while the manifest is read",
    null,
    [],
    async ({ term, app }) => {
      (await app.nextCall()).hang();
      await term.shows("The manifest is read");
    },
  ],
  ["at the password", [direct], [], reachPassword],
  [
    "at the second factor",
    [direct],
    ["--mfa"],
    async (walk) => {
      await enterPassword(walk);
      await walk.term.shows("Second factor: your turn");
    },
  ],
  [
    "at device trust",
    [direct],
    ["--device-trust"],
    async (walk) => {
      await enterPassword(walk);
      await walk.term.shows("Device trust: your turn");
    },
  ],
  [
    "while a direct guard is asked",
    [direct],
    [],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).hang();
      await walk.term.shows(/Guard office: the app is being asked[\s\S]*\d\.\d s of 10 s/);
    },
  ],
  ["while a redirect guard waits for its user", [redirect], [], reachPage],
  ["while a frame guard waits for its user", [frame], [], reachPage],
  [
    "while a guard is asked for the last time",
    [redirect],
    [],
    async (walk) => {
      await reachPage(walk);
      await comeBack(walk.term.screen(), { code: "1234" });
      (await walk.app.nextCall()).hang();
      await walk.term.shows("The app is asked again");
    },
  ],
  [
    "at remember-me",
    [direct],
    ["--remember-me"],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).reply({ success: true });
      await walk.term.shows("Remember me: your turn");
    },
  ],
  [
    "at the end",
    [direct],
    [],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).reply({ success: true });
      await walk.term.shows("── Access granted");
    },
  ],
  [
    "in the details",
    [direct],
    [],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).reply({ success: true });
      await walk.term.shows("── Access granted");
      walk.term.press("d");
      await walk.term.shows("Exchange 1 of 1");
    },
  ],
  [
    "in the help",
    [direct],
    [],
    async (walk) => {
      await reachPassword(walk);
      walk.term.press("?");
      await walk.term.shows("── Keys");
    },
  ],
];

describe.concurrent("somebody who leaves finds the terminal as it was, and the port free", () => {
  test.each(places)("by Ctrl-C %s", async (_, guards, args, reach) => {
    await using walk = await startWalk(guards, args);
    await reach(walk);
    walk.term.press(keys.ctrlC);
    expect(await walk.term.ended).toMatchObject({ code: 130, signal: null });
    await expectRestored(walk);
  });

  // A signal comes by another way than a key, which is the same at every stage where it is the user's turn.
  const others = places.filter(([name]) => /manifest|password|asked|frame|end$/.test(name));
  test.each(others)("by SIGTERM %s", async (_, guards, args, reach) => {
    await using walk = await startWalk(guards, args);
    await reach(walk);
    walk.term.kill("SIGTERM");
    expect(await walk.term.ended).toMatchObject({ code: 143, signal: null });
    await expectRestored(walk);
  });

  test("by a signal that ends the process at once", async () => {
    await using walk = await startWalk([direct]);
    await reachPassword(walk);
    walk.term.kill("SIGALRM");
    expect(await walk.term.ended).toMatchObject({ signal: "SIGALRM" });
    await expectRestored(walk);
  });

  test("by SIGHUP", async () => {
    await using walk = await startWalk([direct]);
    await reachPassword(walk);
    walk.term.kill("SIGHUP");
    expect(await walk.term.ended).toMatchObject({ code: 129, signal: null });
    await expectRestored(walk);
  });
});
