import { readFileSync, statSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CliResult, runCli, startCli } from "../rig/cli.ts";
import {
  type AppCall,
  type FakeApp,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  webhookEntry,
} from "../rig/fake-app.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { exchangesIn, fixturePath, onlyObject, rawControls } from "../rig/output.ts";
import { runShell } from "../rig/shell.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const greetings = fixturePath("jobs/greetings.json");

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

describe("R32: a reader that leaves early", () => {
  test("`app-sim log | head`: quiet, exit 0", async () => {
    // More than a pipe holds, so that there is still something to write when the reader has left.
    const many = Array.from({ length: 2000 }, (_, index) => loginRecord(`login-${index}`));
    directory.write(".app-sim/journal.ndjson", journalText(many));
    const script = "{ app_sim log --last 2000; echo $? >code; } | head -n 1";
    const result = await runShell(script, directory.path);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ID .*\n$/), stderr: "" });
    expect(readFileSync(`${directory.path}/code`, "utf8")).toBe("0\n");
  });

  test.each(["stdout", "stderr"] as const)("%s closed before anything was written", async (stream) => {
    await using cli = startCli(stream === "stdout" ? ["choices"] : ["log", "nope"]);
    cli.child[stream].destroy();
    expect(await cli.done).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });
});

describe("R29: without an input", () => {
  test.each(["<&-", "</dev/null"])("%s: the same plain lines", async (redirection) => {
    directory.write("m.json", manifestOf({}));
    const script = `app_sim guard --app http://127.0.0.1:9 --manifest m.json ${redirection}`;
    const { code, stdout } = await runShell(script, directory.path);
    expect([code, stdout]).toEqual([0, expect.stringContaining("\nAccess granted\n")]);
  });
});

describe("R31: colours", () => {
  const colourful: [args: string[], env: NodeJS.ProcessEnv][] = [
    [["--color", "always"], {}],
    [["--color=always"], { NO_COLOR: "1", TERM: "dumb" }],
    [["--color", "auto"], { FORCE_COLOR: "1" }],
    [[], { FORCE_COLOR: "1", NO_COLOR: "1" }],
  ];
  const plain: [args: string[], env: NodeJS.ProcessEnv][] = [
    [["--color", "auto"], { TERM: "xterm-256color", COLORTERM: "truecolor" }],
    [["--color", "never"], { FORCE_COLOR: "1" }],
    [[], { NO_COLOR: "1" }],
    [[], { TERM: "dumb", COLORTERM: "truecolor" }],
    [[], { FORCE_COLOR: "0" }],
    [["--format", "json", "--color", "always"], { FORCE_COLOR: "1" }],
  ];
  const choices = (args: readonly string[], env: NodeJS.ProcessEnv) => runCli(["choices", ...args], { env });

  test.each(colourful)("%j %j: into a pipe too", async (args, env) => {
    const { code, stdout } = await choices(args, env);
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[1mguard.jwt.algorithm\u001b[22m = ");
  });

  test.each(plain)("%j %j: no ANSI byte", async (args, env) => {
    const { code, stdout, stderr } = await choices(args, env);
    expect(code).toBe(0);
    expect(stdout).toContain("guard.jwt.algorithm");
    expect(rawControls(stdout + stderr)).toEqual([]);
  });
});

/** Sets the clipboard, clears the screen, colours in C1 form, turns the reading order, rewrites a line, rings. */
const HOSTILE = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u0085\u202eabc\u2066\rok\b\u0000\u007f\u2028\u2029\u061cé😀";

describe("S15: what an app says never acts on the terminal", () => {
  const manifest = manifestOf({
    guards: [{ ...guardEntry(`guard ${HOSTILE}`), url: "/guard", name: HOSTILE, [`note ${HOSTILE}`]: HOSTILE }],
    imports: [{ ...importEntry(`import ${HOSTILE}`), url: "/import" }],
    webhooks: [{ ...webhookEntry("hook"), events: ["project.approved", HOSTILE], [HOSTILE]: 1 }],
  });
  const answers: Record<string, (call: AppCall) => void> = {
    "/guard": (call) => call.reply({ success: false, message: HOSTILE }),
    "/import": (call) => {
      const { strings } = call.json() as { strings: Record<string, unknown>[] };
      const hostile = { identifier: HOSTILE, text: HOSTILE, context: HOSTILE, labels: [HOSTILE] };
      const [first, ...rest] = strings;
      call.reply({ data: { strings: [{ ...first, ...hostile }, ...rest, { uniqId: HOSTILE, ...hostile }] } });
    },
    "/hook": (call) => {
      const head =
        "HTTP/1.1 302 F\u009b2Jound\r\nLocation: /\u009b31m\r\nX-Odd: \u0085\u0090\r\nConnection: close\r\n\r\n";
      call.raw(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(HOSTILE)]));
    },
  };

  let app: FakeApp;
  beforeAll(async () => {
    app = await startFakeApp({ manifest });
    app.answer((call) => answers[call.path]?.(call));
  });
  afterAll(() => app.close());

  const commands: [name: string, args: string[], code: number][] = [
    ["manifest", [], 0],
    ["guard", [], 1],
    ["post-import", [greetings, "--details"], 0],
    ["webhook", ["project.approved"], 1],
  ];

  async function run(code: number, ...args: string[]): Promise<CliResult> {
    const result = await runCli(args, { cwd: directory.path });
    expect(rawControls(result.stdout)).toEqual([]);
    expect(rawControls(result.stderr)).toEqual([]);
    expect(result.code).toBe(code);
    return result;
  }

  test.each(commands)("%s, and its exchange in the log", async (name, args, code) => {
    await run(code, name, ...args, "--app", app.url);
    const { stdout } = await run(code, name, ...args, "--app", app.url, "--format", "json");
    // Whoever reads the JSON gets it as the app said it.
    const parsed = JSON.stringify(JSON.parse(stdout));
    expect(parsed).toContain(name === "webhook" ? "U+009B" : JSON.stringify(HOSTILE).slice(1, -1));
    const id = exchangesIn(directory.path).find(({ purpose }) => purpose === name)?.id ?? "none";
    await run(0, "log", id);
    const log = await run(0, "log", id, "--format", "json");
    expect(onlyObject(log.stdout).records[0].response.body.text).toContain("\u009b");
  });

  test("a manifest whose errors quote it", async () => {
    const file = directory.write("bad.json", { modules: { "auth-guard": [{ key: 5, [HOSTILE]: 1, url: HOSTILE }] } });
    await run(2, "guard", "--app", app.url, "--manifest", file);
    const { stderr } = await run(2, "guard", "--app", app.url, "--manifest", file, "--format", "json");
    const { problems } = onlyObject(stderr).error as { problems: { message: string }[] };
    expect(problems.map(({ message }) => message).join()).toContain(JSON.stringify(HOSTILE).slice(1, 9));
  });

  test("a journal that came from elsewhere", async () => {
    const odd = exchangeRecord(`1${HOSTILE}`, { module: HOSTILE, startedAt: HOSTILE });
    const request = { ...odd.request, method: HOSTILE, url: HOSTILE };
    const login = loginRecord(`2${HOSTILE}`, { at: HOSTILE, deniedBy: HOSTILE, reason: HOSTILE });
    const user = { id: 1, role: HOSTILE };
    const lines = [{ ...odd, request }, loginRecord(`2${HOSTILE}!`), { ...login, user, exchanges: [HOSTILE] }];
    directory.write(".app-sim/journal.ndjson", journalText(lines));
    const { stdout } = await run(0, "log", "--format", "json");
    expect(onlyObject(stdout).records[2].reason).toBe(HOSTILE);
    await run(0, "log");
    await run(0, "log", "1");
    await run(0, "log", "last");
    await run(2, "log", "2");
  });

  test.each([[["%"]], [["log", "%"]], [["config", "--app", "%"]]])("%j with it in place of %%", async (args) => {
    // No argument of a process can hold NUL.
    const hostile = HOSTILE.replaceAll("\u0000", "");
    await run(2, ...args.map((arg) => arg.replace("%", hostile)));
  });
});

describe("S27: secrets", () => {
  const clientSecret = "canary client 'secret' / é";
  const appSecret = "canary+app+secret";
  const env = { APP_SIM_CLIENT_SECRET: clientSecret, APP_SIM_APP_SECRET: appSecret };
  const manifest = manifestOf({
    guards: [guardEntry("office")],
    imports: [importEntry("tidy")],
    webhooks: [webhookEntry("events")],
  });

  /** What the app was trusted with, said back in every place where it can say anything. */
  function tellAll(call: AppCall): void {
    const told = [clientSecret, appSecret, call.header("authorization"), call.header("x-platform-signature")].join(" ");
    const headers = {
      "x-echo": encodeURIComponent(told),
      location: `/?code=canary-code&secret=${encodeURIComponent(told)}`,
    };
    if (call.path === "/office") call.reply({ success: false, message: told }, { headers });
    else if (call.path === "/events") call.reply({ error: told }, { status: 302, headers });
    else {
      const { strings } = call.json() as { strings: Record<string, unknown>[] };
      call.reply({ data: { strings: strings.map((string) => ({ ...string, context: told })) } }, { headers });
    }
  }

  const signatureOf = (call: AppCall) =>
    call.header("x-platform-signature") ?? call.header("authorization")?.split(".").at(-1) ?? "none";

  test.each([["guard"], ["post-import", greetings, "--details"], ["webhook", "project.approved"]])(
    "%s does not tell them, nor does its log, whatever the app says back",
    async (...args) => {
      await using app = await startFakeApp({ manifest });
      app.answer(tellAll);
      const run = (...more: string[]) => runCli(more, { cwd: directory.path, env });
      const called = [...args, "--app", app.url];
      const results = await Promise.all([run(...called), run(...called, "--format", "json")]);
      const id = exchangesIn(directory.path).findLast(({ purpose }) => purpose === args[0])?.id ?? "none";
      results.push(...(await Promise.all([run("log", id), run("log", "--format", "json")])));

      const signatures = app.calls.map(signatureOf);
      expect(signatures).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{43,64}$/)));
      const inJson = JSON.stringify(clientSecret).slice(1, -1);
      const canaries = ["canary", clientSecret, encodeURIComponent(clientSecret), inJson, appSecret, ...signatures];
      for (const { code, stdout, stderr } of results) {
        expect([0, 1]).toContain(code);
        expect(canaries.filter((canary) => `${stdout}${stderr}`.includes(canary))).toEqual([]);
      }
    },
  );

  test("rest in a file that only its owner may read, and that git leaves out", async () => {
    directory.write("m.json", manifest);
    await runCli(["guard", "--app", "http://127.0.0.1:9", "--manifest", "m.json"], { cwd: directory.path });
    const modeOf = (name: string) => statSync(`${directory.path}/.app-sim/${name}`).mode & 0o777;
    expect([modeOf("."), modeOf("journal.ndjson")]).toEqual([0o700, 0o600]);
    expect(readFileSync(`${directory.path}/.app-sim/.gitignore`, "utf8")).toBe("*\n");
  });
});
