import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { doctorResultSchema } from "../../src/doctor/doctor-result.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });
const grants = always({ success: true });

/** What `app-sim doctor` says of an app, by the names of its checks. */
async function examined(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  using directory = makeTempDir();
  for (const [name, content] of Object.entries(files)) directory.write(name, content);
  const { code, stdout } = await runLine(["doctor", "--format", "json", ...args], {
    cwd: directory.path,
    env: { CHROME_PATH: "/nowhere/chrome" },
  });
  const { checks, outcome } = doctorResultSchema.parse(onlyObject(stdout));
  return { code, outcome, checks: Object.fromEntries(checks.map((check) => [check.check, check])) };
}

describe("app-sim doctor", () => {
  test("where all is there: exit 0", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(grants);
    const { code, outcome, checks } = await examined(["--app", app.url, "--port", String(await unusedPort())]);
    expect([code, outcome]).toEqual([0, "ok"]);
    const { browser, ...others } = checks;
    expect(Object.values(others).map(({ check, result }) => [check, result])).toEqual(
      ["versions", "config", "journal", "port", "app", "manifest", "secrets", "clock"].map((name) => [name, "passed"]),
    );
    expect(browser).toMatchObject({ result: "skipped", message: expect.stringContaining("no guard needs one") });
    expect(checks.config?.message).toContain("apps[0].url (flag --app)");
  });

  test.each<[what: string, check: string, answer: CallHandler, result: string, says: RegExp]>([
    ["another secret", "secrets", (call) => call.send("", { status: 401 }), "failed", /guard office.*401/],
    ["no route", "secrets", (call) => call.send("", { status: 404 }), "failed", /no such endpoint/],
    ["a guard that says no", "secrets", always({ success: false }), "passed", /takes a signed call/],
    [
      "a clock that is ahead",
      "clock",
      (call) => call.reply({ success: true }, { headers: { date: new Date(Date.now() + 600_000).toUTCString() } }),
      "warned",
      /\d+ s ahead/,
    ],
  ])("%s: %s", async (_, check, answer, result, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(answer);
    const { code, checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks[check]).toMatchObject({ result, message: expect.stringMatching(says) });
    expect(code).toBe(result === "failed" ? 1 : 0);
  });

  test("a guard that refuses the token does not lead to doctor, which this is", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status: 401 }));
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets?.hint).toMatch(/^does the app verify the JWT .*\?/);
    expect(checks.secrets?.hint).not.toContain("app-sim doctor");
  });

  test("a guard that crashes: its log, and whether it got its secrets", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status: 500 }));
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets).toMatchObject({
      result: "failed",
      hint: "look into the app's own log; was it started with the variables of app-sim env?",
    });
  });

  test.each<[what: string, files: Readonly<Record<string, string>>, status: number, says: RegExp]>([
    [
      "another secret",
      { ".env": 'CLIENT_ID=app-sim-client\nexport MY_CLIENT_SECRET="hunter2-hunter2"  # mine\n' },
      401,
      /; \.env has other values than app-sim for MY_CLIENT_SECRET: put those of `app-sim env` there, or give app-sim the app's own with APP_SIM_CLIENT_SECRET$/,
    ],
    [
      "several others, in another file",
      { ".env": "PORT=3000\n", ".env.local": "PLATFORM_CLIENT_ID=mine\nAPP_SECRET=hunter2-hunter2" },
      500,
      /own log; \.env\.local has other values than app-sim for PLATFORM_CLIENT_ID, APP_SECRET: .* APP_SIM_CLIENT_ID, APP_SIM_APP_SECRET$/,
    ],
    [
      "the right ones",
      { ".env": "PLATFORM_CLIENT_SECRET=app-sim-client-secret # from app-sim env\nAPP_SECRET=$OTHER\n" },
      401,
      /; \.env has the values of app-sim: was the app started with it, such as by node --env-file=\.env\?$/,
    ],
    ["none", { ".env": "PORT=3000\n" }, 500, /own log; was it started with the variables of app-sim env\?$/],
    ["nothing to say of a route that is missing", { ".env": "CLIENT_ID=x" }, 404, /^(?!.*\.env)/],
  ])("a refused call, and an .env with %s", async (_, files, status, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status }));
    const { checks } = await examined(["--app", app.url, "--port", "0"], files);
    expect(checks.secrets?.hint).toMatch(says);
    expect(JSON.stringify(checks)).not.toContain("hunter2");
  });

  test("no app: exit 3, and what to do", async () => {
    const { code, checks } = await examined(["--app", `http://127.0.0.1:${await unusedPort()}`, "--port", "0"]);
    expect(code).toBe(3);
    expect(checks.app).toMatchObject({ result: "failed", hint: expect.stringContaining("start the app") });
    expect([checks.manifest?.result, checks.secrets?.result]).toEqual(["failed", "skipped"]);
  });

  test("a port that another program has, and a frame guard without a browser", async () => {
    const page = guardEntry("face", { type: "frame", url: "/frame" });
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [page] }) });
    app.answer(always({ success: true }));
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    const { code, checks } = await examined(["--app", app.url, "--port", String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(checks.port).toMatchObject({ result: "failed", hint: expect.stringContaining("--port") });
    expect(checks.browser).toMatchObject({ result: "warned", message: expect.stringContaining("/nowhere/chrome") });
  });
});
