import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Settings } from "../../src/config/environment.ts";
import { serveCommand } from "../../src/serve/command.ts";
import { startCli } from "../rig/cli.ts";
import { type RunningCommand, startCommand, withCall } from "../rig/command.ts";
import {
  type AppCall,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { journalIn, onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

// Commands beside a running `app-sim serve`, which both run in this process and talk over loopback.

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

/** `app-sim serve` for this app; its port is in the variable that names it to the commands. */
async function startServe(app: string, settings: Settings = {}) {
  const serve = startCommand(withCall(serveCommand), {
    cwd: directory.path,
    settings: { port: "0", app, ...settings },
  });
  const [, port = ""] = await serve.printed(/ready at http:\/\/127\.0\.0\.1:(\d+)/);
  await serve.printed(/manifest/);
  return Object.assign(serve, { port, surroundings: { cwd: directory.path, env: { APP_SIM_PORT: port } } });
}
type Serving = RunningCommand & Awaited<ReturnType<typeof startServe>>;

const modules = manifestOf({
  guards: [guardEntry("office")],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("events", ["project.translated"])],
});
const answers = (call: AppCall) => {
  if (call.path === "/import") call.reply({ data: { strings: [] } });
  else if (call.path === "/office") call.reply({ success: true });
  else call.send("", { status: 204 });
};
const announcement = ({ port }: Serving) => join(directory.path, ".app-sim", `serve-${port}.json`);

describe("every command goes through the running platform", () => {
  test.each([
    [["guard", "--format", "json"], { outcome: "granted" }],
    [["manifest", "--format", "json"], { outcome: "ok" }],
    [["webhook", "project.translated", "--format", "json"], { outcome: "acknowledged" }],
    [["verify", "--only", "manifest", "--format", "json"], { outcome: "passed" }],
    [["load", "--count", "3", "--format", "json"], { outcome: "ok" }],
  ])("%j", async (args, result) => {
    await using app = await startFakeApp({ manifest: modules });
    app.answer(answers);
    await using serve = await startServe(app.url);
    const before = serve.stdout().length;
    const { stdout, stderr } = await runLine(args, serve.surroundings);
    expect(stderr).not.toMatch(/error/);
    expect(onlyObject(stdout)).toMatchObject(result);
    // Who watches the platform sees it, and its journal alone is written.
    expect(serve.stdout().slice(before)).toMatch(/\/(?:manifest\.json|office|events)/);
    const ids = journalIn(directory.path).records.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("text and exchanges are the same as without a running platform", async () => {
    await using app = await startFakeApp({ manifest: modules });
    app.answer(answers);
    await using serve = await startServe(app.url);
    const plain = (text: string) => text.replaceAll(/\d+(\.\d+)? ms|exchange \w+/g, "…").replace(/ --app .*/, "");
    const beside = await runLine(["guard"], serve.surroundings);
    const alone = await runLine(["guard", "--app", app.url, "--port", "0"], { cwd: directory.path });
    expect([beside.code, plain(beside.stdout)]).toEqual([alone.code, plain(alone.stdout)]);
  });

  test("there is one clock, and one server for files of jobs", async () => {
    await using app = await startFakeApp({ manifest: modules });
    const fetched: string[] = [];
    let issuedAt = 0;
    app.answer(async (call) => {
      if (call.path === "/import") {
        const { stringsUrl } = call.json() as { stringsUrl: string };
        fetched.push(await (await fetch(stringsUrl)).text());
        return call.reply({ data: { strings: [] } });
      }
      const [, claims = ""] = (call.header("authorization") ?? "").split(".");
      issuedAt = JSON.parse(Buffer.from(claims, "base64url").toString()).iat;
      return call.reply({ success: true });
    });
    await using serve = await startServe(app.url);
    await runLine(["clock", "set", "2031-05-06T07:08:09Z"], serve.surroundings);
    expect((await runLine(["guard"], serve.surroundings)).code).toBe(0);
    expect(new Date(issuedAt * 1000).toISOString()).toMatch(/^2031-05-06T07:08/);
    directory.write("job.json", {
      file: { name: "en.json", content: "e30=" },
      strings: [{ identifier: "hello", text: "Hello" }],
    });
    const { stderr } = await runLine(["post-import", "job.json", "--via", "url"], serve.surroundings);
    expect([stderr, fetched]).toEqual([expect.not.stringContaining("error"), [expect.stringContaining("Hello")]]);
  });

  test("flags and variables count only for the command; a redirect address is added to the registered ones", async () => {
    await using app = await startFakeApp({ manifest: modules });
    app.answer(answers);
    await using serve = await startServe(app.url, { redirectUri: ["http://127.0.0.1:3000/a"] });
    const { stdout } = await runLine(["guard", "--user", "admin", "--ip", "2001:db8::7", "--format", "json"], {
      ...serve.surroundings,
      env: { ...serve.surroundings.env, APP_SIM_CHOOSE: "guard.owner.exempt=false" },
    });
    expect(onlyObject(stdout)).toMatchObject({ user: { role: "admin" }, ipAddress: "2001:db8::7", outcome: "granted" });
    expect(app.calls.at(-1)?.json()).toMatchObject({ userId: 102, ipAddress: "2001:db8::7" });

    app.answer((call) => {
      const query = {
        client_id: "app-sim-client",
        redirect_uri: `${app.url}/b`,
        response_type: "code",
        scope: "project",
      };
      const location = `http://127.0.0.1:${serve.port}/oauth/authorize?${new URLSearchParams(query)}&state=x`;
      call.send("", call.path === "/login" ? { status: 302, headers: { location } } : {});
    });
    const login = await runLine(["oauth", "--start", "/login", "--redirect-uri", `${app.url}/b`], serve.surroundings);
    expect(login.stdout).toMatch(/redirect_uri http:\S+\/b, scope project/);
    // For that login alone.
    const later = await runLine(["oauth", "--start", "/login"], serve.surroundings);
    expect(later.stdout).toMatch(/redirect_uri/);
    expect(later.code).toBe(1);
  });
});

test("the app's address may have a slash at its end", async () => {
  await using app = await startFakeApp({ manifest: modules });
  app.answer((call) => call.reply({ success: true }));
  await using serve = await startServe(app.url);
  const { code, stderr } = await runLine(["guard", "--yes", "--app", `${app.url}/`], serve.surroundings);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("differ")]);
});

describe("settings that need another platform are refused, and nothing is sent", () => {
  test.each([
    [
      ["--app", "http://127.0.0.1:1"],
      /apps\[0\]\.url is "http.*" there, and "http:\/\/127\.0\.0\.1:1" here \(flag --app\)/,
    ],
    [
      ["--choose", "oauth.code.lifetime=5"],
      /choices\.oauth\.code\.lifetime is 600 there, and 5 here \(flag --choose\)/,
    ],
    [["--profile", "key-pair"], /guard\.jwt\.algorithm is "HS256" there, and "ES256" here/],
  ])("%j", async (args, says) => {
    await using app = await startFakeApp({ manifest: modules });
    await using serve = await startServe(app.url);
    const records = journalIn(directory.path).records.length;
    const { code, stdout, stderr } = await runLine(["guard", ...args], serve.surroundings);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
    expect(stderr).toMatch(/hint: leave them out, or start the platform with them/);
    expect(journalIn(directory.path).records).toHaveLength(records);
  });

  test("the refusal does not show a secret", async () => {
    await using serve = await startServe("http://127.0.0.1:1");
    const env = { ...serve.surroundings.env, APP_SIM_CLIENT_SECRET: "a-canary-of-a-secret" };
    const { code, stderr } = await runLine(["guard"], { ...serve.surroundings, env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("apps[0].clientSecret differs there (env APP_SIM")]);
    expect(stderr).not.toContain("canary");
    expect(stderr).not.toContain("app-sim-client-secret-long-enough-for-HS256");
  });

  test("another config file; a changed one is reported", async () => {
    await using app = await startFakeApp({ manifest: modules });
    app.answer(answers);
    directory.write("app-sim.config.json", { journal: ".app-sim" });
    directory.write("team.json", {});
    await using serve = await startServe(app.url);
    const other = await runLine(["guard", "--config", "team.json"], serve.surroundings);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/was started with the config file .*app-sim\.config/),
    ]);
    const same = await runLine(["guard", "--config", "app-sim.config.json"], serve.surroundings);
    expect([same.code, same.stderr]).toEqual([0, ""]);
    directory.write("app-sim.config.json", { journal: ".app-sim", login: { user: "admin" } });
    const edited = await runLine(["guard"], serve.surroundings);
    expect([edited.code, edited.stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: .*config\.json was changed after app-sim serve/),
    ]);
  });

  test("a config file that serve started without is reported, also if verify --init --write creates it", async () => {
    await using app = await startFakeApp({ manifest: modules });
    app.answer(answers);
    await using serve = await startServe(app.url);
    const { stderr } = await runLine(["verify", "--init", "--write"], serve.surroundings);
    expect(stderr).toContain("written into app-sim.config.jsonc; restart the running app-sim serve or dev to use it\n");
    const { code, stderr: warned } = await runLine(["guard"], serve.surroundings);
    expect([code, warned]).toEqual([
      0,
      expect.stringMatching(/^warning: app-sim serve \(process \d+\) was started without .*config\.jsonc: restart it/),
    ]);
  });

  test("different versions of app-sim refuse to work together", async () => {
    await using serve = await startServe("http://127.0.0.1:1");
    const file = announcement(serve);
    const whole = JSON.parse(readFileSync(file, "utf8"));
    const { version, ...older } = whole;
    for (const [announced, says] of [
      [{ ...whole, version: "99.0.0" }, /is version 99\.0\.0, and this is version/],
      [older, /is version 0\.1 or older, and this is version/],
    ] as const) {
      writeFileSync(file, JSON.stringify(announced));
      const { code, stderr } = await runLine(["guard"], serve.surroundings);
      expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
      expect(stderr).toContain(`app-sim serve (process ${process.pid}) at port ${serve.port}`);
    }
    expect(version).toMatch(/^\d/);
  });
});

describe("an early end", () => {
  const silent = { manifest: modules };

  test("Ctrl-C ends the command and its call; the platform continues", async () => {
    await using app = await startFakeApp(silent);
    await using serve = await startServe(app.url);
    await using line = startLine(["guard", "--format", "json"], serve.surroundings);
    const call = await app.nextCall();
    line.signal("SIGINT");
    const { code, stdout } = await line.done;
    expect([code, onlyObject(stdout).outcome, onlyObject(stdout).failure]).toEqual([130, "failed", "interrupted"]);
    await call.closed;
    app.answer(answers);
    expect((await runLine(["guard"], serve.surroundings)).code).toBe(0);
  });

  test("the end of the platform is reported: exit 3", async () => {
    await using app = await startFakeApp(silent);
    await using serve = await startServe(app.url);
    await using line = startLine(["guard", "--format", "json"], serve.surroundings);
    await app.nextCall();
    serve.signal("SIGTERM");
    const { code, stdout, stderr } = await line.done;
    expect([code, stdout]).toEqual([3, ""]);
    expect(onlyObject(stderr).error).toMatchObject({
      code: "platform-ended",
      message: expect.stringContaining(serve.port),
    });
    await serve.done;
    // Without it the command is a platform itself again.
    app.answer(answers);
    expect((await runLine(["guard", "--app", app.url], serve.surroundings)).code).toBe(0);
  });

  test("a command that is killed leaves no call behind; a platform that is killed leaves no command waiting", async () => {
    await using app = await startFakeApp(silent);
    const port = String(await unusedPort());
    const surroundings = { cwd: directory.path, env: { APP_SIM_PORT: port, APP_SIM_APP: app.url } };
    await using serve = startCli(["serve"], surroundings);
    await serve.printed(/ready at/);
    await using killed = startCli(["guard"], surroundings);
    const call = await app.nextCall();
    killed.child.kill("SIGKILL");
    await call.closed;
    await using waiting = startCli(["guard"], surroundings);
    await app.nextCall();
    serve.child.kill("SIGKILL");
    const { code, stderr } = await waiting.done;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^error: app-sim serve \(process \d+\) .* ended before this/),
    ]);
  });
});
