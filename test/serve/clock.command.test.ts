import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Invocation } from "../../src/action/invocation.ts";
import { ExitError } from "../../src/output/exit-error.ts";
import { faultKinds } from "../../src/protocol/fault-kinds.ts";
import { type ClockVerb, faultsHelp } from "../../src/serve/action.ts";
import { serveCommand } from "../../src/serve/command.ts";
import { clockCommand, faultCommand } from "../../src/serve/steer-command.ts";
import { clockText } from "../../src/serve/steer-text.ts";

import { type RunningCommand, startCommand, withCall } from "../rig/command.ts";
import { startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

// One platform for all: each test begins with a clock that shows real time, and without faults.
let directory: TempDir;
let platform: RunningCommand;
let port: string;

beforeAll(async () => {
  directory = makeTempDir();
  const settings = { port: "0", app: `http://127.0.0.1:${await unusedPort()}` };
  platform = startCommand(withCall(serveCommand), { cwd: directory.path, settings });
  port = (await platform.printed(/127\.0\.0\.1:(\d+)/))[1] ?? "";
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

type Steer = (invocation: Invocation) => Promise<number>;

const start = (run: Steer, changes: Partial<Invocation> = {}) =>
  startCommand(run, { cwd: directory.path, settings: { port }, ...changes });

async function printed(run: Steer, format = "text"): Promise<string> {
  const command = start(run, { format });
  expect(await command.done).toBe(0);
  expect(command.stderr()).toBe("");
  return command.stdout();
}

const turn =
  (action?: ClockVerb, value?: string): Steer =>
  (invocation) =>
    withCall(clockCommand, { args: [action, value].filter((each) => each !== undefined) })(invocation);
const ask =
  (...words: string[]): Steer =>
  (invocation) =>
    withCall(faultCommand, { args: words })(invocation);
const state = async (...args: Parameters<typeof turn>) => onlyObject(await printed(turn(...args), "json"));

beforeEach(async () => {
  await printed(turn("reset"));
  await printed(ask("clear"));
});

describe("clock", () => {
  test("shows the platform's clock, by itself or with `show`", async () => {
    for (const action of [undefined, "show"] as const) {
      const { command, url, frozen, offsetMs } = await state(action);
      expect({ command, url, frozen }).toEqual({ command: "clock", url: `http://127.0.0.1:${port}`, frozen: false });
      expect(Math.abs(offsetMs)).toBeLessThan(1000);
    }
    expect(await printed(turn())).toMatch(/^\d{4}-\S+Z {2}running, real time\n$/);
  });

  test("is frozen, advanced, set, resumed and reset, and its state is printed each time", async () => {
    expect(await state("freeze", "2031-05-06T07:08:09Z")).toMatchObject({
      now: "2031-05-06T07:08:09.000Z",
      frozen: true,
    });
    expect(await state("advance", "+1h30m")).toMatchObject({ now: "2031-05-06T08:38:09.000Z", frozen: true });
    expect(await state("set", "2032-01-01")).toMatchObject({ now: "2032-01-01T00:00:00.000Z", frozen: true });
    expect(await state("show")).toMatchObject({ now: "2032-01-01T00:00:00.000Z" });
    expect(await state("resume")).toMatchObject({ now: expect.stringMatching(/^2032-01-01T/), frozen: false });
    expect(await state("freeze")).toMatchObject({ now: expect.stringMatching(/^2032-01-01T/), frozen: true });
    expect(await state("reset")).toMatchObject({ now: expect.not.stringMatching(/^2032/), frozen: false });
    expect(await printed(turn("advance", "2h"))).toMatch(/Z {2}running, 2h ahead of real time\n$/);
  });

  test.each([
    [{ frozen: false, offsetMs: 0 }, "running, real time"],
    [{ frozen: false, offsetMs: -1 }, "running, real time"],
    [{ frozen: true, offsetMs: 93_784_600 }, "frozen, 1d2h3m5s ahead of real time"],
    [{ frozen: false, offsetMs: -86_400_000 }, "running, 1d behind real time"],
  ])("%j prints: %s", (stand, text) => {
    expect(clockText({ now: "NOW", ...stand })).toBe(`NOW  ${text}`);
  });

  test.each([
    [["advance"], /is missing/, /app-sim clock advance 2h/],
    [["set"], /is missing/, /app-sim clock set 2031/],
    [["advance", "2x"], /"2x" is not a duration/, /2h, 90s/],
    [["set", "soon"], /^clock set: "soon" is not a time$/, /ISO 8601.* or a date such as 2031-05-06$/],
    [["resume", "2h"], /clock resume takes no value, but 2h was given/, /leave it out/],
  ] as const)(
    "%j is refused with what is allowed, and the clock does not change",
    async ([action, value], says, hint) => {
      const error = await usageErrorOf(start(turn(action, value)).done);
      expect(error).not.toBeInstanceOf(ExitError);
      expect([error.message, error.hint]).toEqual([expect.stringMatching(says), expect.stringMatching(hint)]);
      expect(Math.abs((await state()).offsetMs)).toBeLessThan(1000);
    },
  );
});

describe("clock with an unknown action", () => {
  test.each([
    ["2h", /clock 2h: there is no such action\./, /app-sim clock advance 2h/],
    ["2031-05-06", /there is no such action\./, /app-sim clock set 2031-05-06/],
    ["freez", /Did you mean "freeze"\?/, /allowed: show, advance/],
    ["teapot", /there is no such action\.\n/, /allowed: show, advance/],
  ])("%s", async (word, says, hint) => {
    const { code, stdout, stderr } = await runLine(["clock", word], { cwd: directory.path });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(hint);
  });
});

describe("fault", () => {
  test("adds faults, lists them and clears them", async () => {
    expect(await printed(ask())).toBe("no faults\n");
    expect(await printed(ask("token=500x2", "api=429@25%"))).toBe(
      "token=500x2  2 times more\napi=429@25%  until cleared\n",
    );
    const refused = await fetch(`http://127.0.0.1:${port}/oauth/token`, { method: "POST" });
    expect(refused.status).toBe(500);
    expect(await printed(ask())).toBe("token=500x2  1 time more\napi=429@25%  until cleared\n");
    expect(onlyObject(await printed(ask("list"), "json"))).toEqual({
      command: "fault",
      url: `http://127.0.0.1:${port}`,
      faults: [
        { fault: "token=500x2", left: 1 },
        { fault: "api=429@25%", left: null },
      ],
    });
    expect(await printed(ask("clear"))).toBe("no faults\n");
  });

  test.each([
    [["tokn=500"], /no place "tokn"\. Did you mean "token"\?/],
    [["token=500", "api=teapot"], /no kind "teapot" at api/],
    [["list", "token=500"], /list takes no other arguments/],
    [["cler"], /^cler is not a fault\. Did you mean "clear"\?$/],
    [["token"], /there is no =/],
    [["add", "token=500"], /^a fault is given without add$/],
  ])("%j is refused, and none is added", async (words, says) => {
    expect((await usageErrorOf(start(ask(...words)).done)).message).toMatch(says);
    expect(await printed(ask())).toBe("no faults\n");
  });

  test("the help lists every place with all its kinds", () => {
    for (const [place, kinds] of Object.entries(faultKinds))
      expect(faultsHelp).toMatch(new RegExp(`^  ${place} +${kinds.join(", ")}$`, "m"));
  });
});

describe("without a platform", () => {
  test("none was started: exit 2, with the expected file and what to start", async () => {
    using elsewhere = makeTempDir();
    const other = String(await unusedPort());
    const { code, stdout, stderr } = await runLine(["clock", "advance", "2h", "--port", other], {
      cwd: elsewhere.path,
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      new RegExp(
        `^error: no platform runs on port ${other}: there is no \\S+/serve-${other}\\.json\nhint: .*app-sim serve.*\n$`,
      ),
    );
  });

  test("one at another port, which is named; but not if there are several, or it was killed", async () => {
    using elsewhere = makeTempDir();
    const refusal = () => usageErrorOf(start(turn(), { cwd: elsewhere.path, settings: { port: "7409" } }).done);
    const { pid: killed } = spawnSync(process.execPath, ["-e", ""]);
    elsewhere.write(".app-sim/serve-7509.json", JSON.stringify({ pid: killed }));
    expect((await refusal()).hint).toMatch(/^start it with `app-sim serve`/);
    const { pid } = process;
    elsewhere.write(".app-sim/serve-7510.json", JSON.stringify({ pid }));
    expect((await refusal()).hint).toBe("one runs on port 7510: --port 7510");
    elsewhere.write(".app-sim/serve-7511.json", JSON.stringify({ pid }));
    expect((await refusal()).hint).toMatch(/^start it with `app-sim serve`/);
  });

  test("it ended without a word: exit 3", async () => {
    const gone = await unusedPort();
    const facts = { command: "serve", url: `http://127.0.0.1:${gone}`, pid: 4711, controlToken: "t" };
    directory.write(`.app-sim/serve-${gone}.json`, facts);
    const args = ["fault", "list", "--port", String(gone), "--format", "json"];
    const { code, stdout, stderr } = await runLine(args, { cwd: directory.path });
    expect([code, stdout]).toEqual([3, ""]);
    expect(onlyObject(stderr).error).toMatchObject({
      code: "platform-unreachable",
      message: expect.stringMatching(/no answer from .*, process 4711 \(unreachable\)/),
      hint: expect.stringContaining("app-sim serve"),
    });
  });

  test.runIf(process.platform === "linux")("another program at the port is named", async () => {
    await using taken = await startSilentPort();
    const error = await usageErrorOf(start(turn(), { settings: { port: String(taken.port) } }).done);
    expect(error.message).toMatch(
      new RegExp(
        `^no platform of this folder runs on port ${taken.port}: .* is taken by .*process ${process.pid}, in `,
      ),
    );
  });

  test("something else answers there", async () => {
    const stranger = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await new Promise((resolve) => stranger.once("listening", resolve));
    const taken = String((stranger.address() as AddressInfo).port);
    const facts = { command: "serve", url: `http://127.0.0.1:${taken}`, pid: 4711, controlToken: "t" };
    directory.write(`.app-sim/serve-${taken}.json`, facts);
    const error = await usageErrorOf(start(turn(), { settings: { port: taken } }).done);
    stranger.close();
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringMatching(/is not the platform .*status 200/) });
  });

  test("S8: with a wrong token the clock does not change", async () => {
    using elsewhere = makeTempDir();
    const facts = { command: "serve", url: `http://127.0.0.1:${port}`, pid: process.pid, controlToken: "wrong" };
    elsewhere.write(`.app-sim/serve-${port}.json`, facts);
    const error = await usageErrorOf(start(turn("advance", "2h"), { cwd: elsewhere.path }).done);
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringContaining("status 401") });
    expect(Math.abs((await state()).offsetMs)).toBeLessThan(1000);
  });

  test.each([
    "",
    "{",
    "null",
    '{"command":"serve","url":1}',
    '{"url":"http://127.0.0.1:1","pid":1,"controlToken":"t"}',
  ])("a file with %j counts as missing", async (content) => {
    const other = String(await unusedPort());
    directory.write(`.app-sim/serve-${other}.json`, content);
    expect(await usageErrorOf(start(turn(), { settings: { port: other } }).done)).toMatchObject({
      code: "not-running",
    });
  });

  test("the port is random and unknown", async () => {
    const error = await usageErrorOf(start(turn(), { settings: { port: "0" } }).done);
    expect(error.code).toBe("port-unknown");
  });
});

test("the platform reported only what it did for apps", () => {
  expect(readdirSync(`${directory.path}/.app-sim`)).toContain("journal.ndjson");
  expect(platform.stdout()).not.toContain("/-/");
});
