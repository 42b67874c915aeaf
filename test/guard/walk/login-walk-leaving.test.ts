import { describe, expect, test } from "vitest";
import { keys } from "../../rig/terminal.ts";
import { direct, frame, redirect } from "./walk-guards.ts";
import {
  comeBack,
  enterPassword,
  expectRestored,
  reachPage,
  reachPassword,
  startRealWalk,
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
      await term.shows("Reading the manifest");
    },
  ],
  ["at the password", [direct], [], reachPassword],
  [
    "at the second factor",
    [direct],
    ["--mfa"],
    async (walk) => {
      await enterPassword(walk);
      await walk.term.shows("Second factor: needs you");
    },
  ],
  [
    "at device trust",
    [direct],
    ["--device-trust"],
    async (walk) => {
      await enterPassword(walk);
      await walk.term.shows("Device trust: needs you");
    },
  ],
  [
    "while a direct guard is asked",
    [direct],
    [],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).hang();
      await walk.term.shows(/Guard office: calling the app[\s\S]*\d\.\d s of 10 s/);
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
      await walk.term.shows("The final call");
    },
  ],
  [
    "at remember-me",
    [direct],
    ["--remember-me"],
    async (walk) => {
      await enterPassword(walk);
      (await walk.app.nextCall()).reply({ success: true });
      await walk.term.shows("Remember me: needs you");
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

describe("leaving restores the terminal and frees the port", () => {
  test.each(places)("by Ctrl-C %s", async (_, guards, args, reach) => {
    await using walk = await startWalk(guards, args);
    await reach(walk);
    expect(walk.term.isRaw()).toBe(true);
    walk.term.press(keys.ctrlC);
    expect(await walk.term.ended).toMatchObject({ code: 130 });
    await expectRestored(walk);
  });

  test.each(places)("by a signal %s", async (_, guards, args, reach) => {
    await using walk = await startWalk(guards, args);
    await reach(walk);
    walk.term.interrupt();
    await walk.term.ended;
    await expectRestored(walk);
  });
});

// What only a process has: the real terminal's modes, signals, and exit codes for them.
describe.concurrent("R21: a process leaves a real terminal as it was", () => {
  test("by Ctrl-C while the app is being called", async () => {
    await using walk = await startRealWalk([direct]);
    await enterPassword(walk);
    (await walk.app.nextCall()).hang();
    await walk.term.shows(/\d\.\d s of 10 s/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
    expect(walk.term.raw()).toMatch(/\u001b\[[\d;:]*m/);
    walk.term.press(keys.ctrlC);
    expect(await walk.term.ended).toMatchObject({ code: 130, signal: null });
    await expectRestored(walk);
  });

  test.each([
    ["SIGTERM", { code: 143, signal: null }],
    ["SIGHUP", { code: 129, signal: null }],
    // Ends the process at once.
    ["SIGALRM", { code: null, signal: "SIGALRM" }],
  ] as const)("by %s at a page", async (signal, end) => {
    await using walk = await startRealWalk([redirect]);
    await reachPage(walk);
    walk.term.kill(signal);
    expect(await walk.term.ended).toMatchObject(end);
    await expectRestored(walk);
  });
});
