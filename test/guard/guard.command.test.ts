import jwt from "jsonwebtoken";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { guardResultSchema } from "../../src/index.ts";
import type { CliOptions } from "../rig/cli.ts";
import { type AppCall, type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { exchangesIn, onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const everyType = manifestOf({
  guards: [
    guardEntry("office", { type: "direct" }),
    guardEntry("account", { type: "direct", applyToAdmins: true }),
    guardEntry("training", { type: "redirect", url: "/page" }),
    guardEntry("agreement", { type: "frame", url: "/page" }),
  ],
});
const direct = manifestOf({ guards: everyType.modules["auth-guard"]?.slice(0, 2) ?? [] });

let app: FakeApp;

beforeAll(async () => {
  app = await startFakeApp({ manifest: direct });
});
afterAll(() => app.close());
afterEach(() => {
  app.manifest = direct;
});

const approve = (call: AppCall) => call.reply({ success: true });

async function guard(answer: (call: AppCall) => void, args: readonly string[] = [], options: CliOptions = {}) {
  const before = app.calls.length;
  app.answer(answer);
  const result = await runLine(["guard", "--app", app.url, ...args], options);
  return { ...result, calls: app.calls.slice(before) };
}

async function guardJson(answer: (call: AppCall) => void, args: readonly string[] = []) {
  const { stdout, stderr, code, calls } = await guard(answer, [...args, "--format", "json"]);
  return { code, stderr, calls, result: guardResultSchema.parse(onlyObject(stdout)) };
}

describe("a login that every guard approves", () => {
  test("as text: each stage, what was sent and came back, exit 0", async () => {
    const { code, stdout, stderr } = await guard(approve);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Login as member \(user 104\) from 203\.0\.113\.10\n/);
    expect(stdout).toMatch(/✓ guard office \(direct\) +passed\n +→ POST .*\/office\n/);
    expect(stdout).toMatch(/✓ guard account \(direct\) +passed\n/);
    expect(stdout).toMatch(/← 200 \{"success":true\}/);
    expect(stdout).toMatch(/\nAccess granted\n/);
  });

  test("says that no guard was asked for a user who is exempt from all", async () => {
    const { code, stdout, calls } = await guard(approve, ["--user", "owner"]);
    expect([code, calls]).toEqual([0, []]);
    expect(stdout).toMatch(/\nAccess granted: the user is exempt from every guard\n$/);
  });

  test("as JSON: the stages with their exchanges in the journal, and the choices", async () => {
    using directory = makeTempDir();
    const { code, stdout } = await guard(approve, ["--format", "json"], { cwd: directory.path });
    const result = guardResultSchema.parse(onlyObject(stdout));
    expect(code).toBe(0);
    expect(result).toMatchObject({
      outcome: "granted",
      deniedBy: null,
      reason: null,
      user: { id: 104, role: "member" },
      stages: [
        { stage: "password", result: "passed" },
        { stage: "mfa", result: "skipped" },
        { stage: "device-trust", result: "skipped" },
        { stage: "guard", module: "office", type: "direct", result: "passed" },
        { stage: "guard", module: "account", type: "direct", result: "passed" },
        { stage: "remember-me", result: "skipped" },
      ],
    });
    const guards = exchangesIn(directory.path).filter(({ purpose }) => purpose === "guard");
    expect(result.stages.flatMap(({ exchanges }) => exchanges)).toEqual(guards.map(({ id }) => id));
    expect(result.choices).toContain("guard.jwt.algorithm");
  });

  test("sends what interface 2.2 and 5.1 say, signed with the client secret", async () => {
    const { calls } = await guard(approve, ["--ip", "2001:db8::7"]);
    const [call] = calls;
    expect(call?.json()).toEqual({
      userId: 104,
      organizationId: 200_000_001,
      ipAddress: "2001:db8::7",
      moduleKey: "office",
    });
    const token = call?.header("authorization")?.replace(/^Bearer /, "") ?? "";
    expect(
      jwt.verify(token, "app-sim-client-secret-long-enough-for-HS256", {
        audience: "app-sim-client",
      }),
    ).toMatchObject({
      sub: "104",
      module: "office",
    });
  });
});

describe("a login that a guard denies", () => {
  const deny = (call: AppCall) => call.reply({ success: false, message: "Not from here." });

  test("as text: who and why, exit 1", async () => {
    const { code, stdout, calls } = await guard(deny);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ guard office \(direct\) +denied\n/);
    expect(stdout).toMatch(/\nAccess denied by office: Not from here\.\n/);
    // Beside the answer itself, only the last line says why.
    expect(stdout.match(/^(?! *←).*Not from here\./gm)).toHaveLength(1);
    expect(calls.map(({ path }) => path)).toEqual(["/office"]);
  });

  test("as JSON", async () => {
    const { code, result } = await guardJson(deny);
    expect(code).toBe(1);
    expect(result).toMatchObject({ outcome: "denied", deniedBy: "office", reason: "Not from here." });
  });

  test("of one app among several: the last line names the app", async () => {
    using directory = makeTempDir();
    await using second = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    second.answer(deny);
    directory.write("app-sim.config.json", { apps: [{ url: app.url }, { url: second.url }] });
    app.answer(approve);
    const { code, stdout } = await runLine(["guard"], { cwd: directory.path });
    expect(code).toBe(1);
    expect(stdout).toContain(`\nAccess denied by office of ${second.url}: Not from here.\n`);
  });

  test("with an endless reason: the text truncates it, JSON keeps it", async () => {
    const message = "no ".repeat(1000);
    const long = (call: AppCall) => call.reply({ success: false, message });
    const text = await guard(long);
    expect(text.stdout).toMatch(/\nAccess denied by office: (?:no ){165}[^\n]{1,5}…\n/);
    expect((await guardJson(long)).result.reason).toBe(message);
  });
});

describe("the guards that are asked", () => {
  const asked = async (...args: string[]) => {
    const { calls, result } = await guardJson(approve, args);
    return { paths: calls.map(({ path }) => path), outcome: result.outcome, result };
  };

  test("--module: those, in that order", async () => {
    expect(await asked("--module", "account", "office")).toMatchObject({ paths: ["/account", "/office"] });
  });

  test("for an admin those with applyToAdmins, for the owner none", async () => {
    expect(await asked("--user", "admin")).toMatchObject({ paths: ["/account"], outcome: "granted" });
    const { result, paths } = await asked("--user", "owner");
    expect([paths, result.outcome]).toEqual([[], "granted"]);
    expect(result.stages.filter(({ stage }) => stage === "guard").map((stage) => stage.result)).toEqual([
      "skipped",
      "skipped",
    ]);
  });

  test("an app without guards: nothing was checked, so the login failed, exit 1", async () => {
    app.manifest = manifestOf({});
    const { code, stdout, stderr } = await guard(approve);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(
      /^Login failed: no auth-guard module is declared: nothing was checked\nhint: .*`app-sim manifest`/m,
    );
  });
});

describe("guards that need a user", () => {
  const ask = (call: AppCall) => call.reply({ success: call.path === "/office" || call.path === "/account" });

  test("as JSON (redirect): never let in without one, exit 1", async () => {
    app.manifest = everyType;
    const { code, result } = await guardJson(ask, ["--module", "office", "training", "--expect", "granted"]);
    expect(code).toBe(1);
    expect(result).toMatchObject({ outcome: "needs-user", reason: expect.stringContaining("training") });
    expect(result.stages.at(-1)).toMatchObject({ module: "training", type: "redirect", result: "needs-user" });
  });

  test("as text (frame)", async () => {
    app.manifest = everyType;
    const { code, stdout } = await guard(ask, ["--module", "agreement", "--expect", "granted"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/! guard agreement \(frame\) +not completed\n/);
    expect(stdout).toMatch(/\nNot granted: agreement is a frame guard/);
  });
});

describe("wrong usage", () => {
  test.each([
    [["--module", "offise"], "unknown-module", 'Did you mean "office"?'],
    [["--user", "adnin"], "config-invalid", 'Did you mean "admin"?'],
    [["--ip", "300.1.1.1"], "config-invalid", "IPv4 or IPv6"],
    [["--choose", "guard.jwt.algorithm=HS51"], "choice-invalid", 'Did you mean "HS512"?'],
  ])("%j: exit 2 and nothing is sent", async (args, code, says) => {
    const result = await guard(approve, [...args, "--format", "json"]);
    expect(result).toMatchObject({ code: 2, stdout: "", calls: [] });
    const { error } = onlyObject(result.stderr);
    expect(error).toMatchObject({ code, hint: expect.any(String) });
    // The message alone says it all; whoever wants them one by one has the problems.
    expect(error.message).toContain(says);
  });

  test("as text: every problem with where the value comes from", async () => {
    const { code, stdout, stderr } = await guard(approve, ["--user", "adnin", "--ip", "nowhere"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: the command line is not valid:\n {2}--user is .*\n {2}--ip is .*\nhint: .*\n$/);
  });
});
