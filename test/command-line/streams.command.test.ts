import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
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
import { runLine } from "../rig/line.ts";
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

  test.each<["stdout" | "stderr", string[], number]>([
    ["stdout", ["choices"], 0],
    ["stderr", ["log", "nope"], 2],
  ])("%s of %j closed before anything was written decides nothing: exit %i", async (stream, args, code) => {
    await using cli = startCli(args);
    cli.child[stream].destroy();
    expect(await cli.done).toEqual({ code, signal: null, stdout: "", stderr: "" });
  });

  describe("a login keeps its exit code", () => {
    // The name that nobody knows is a warning on stderr.
    const manifest = { ...manifestOf({ guards: [guardEntry("office")] }), nmae: "x" };

    async function guard(success: boolean, closed: "stdout" | "stderr"): Promise<CliResult> {
      await using app = await startFakeApp({ manifest });
      app.answer((call) => call.reply({ success }));
      await using cli = startCli(["guard", "--app", app.url, "--format", "json"], { cwd: directory.path });
      cli.child[closed].destroy();
      return await cli.done;
    }

    test.each([
      [true, 0],
      [false, 1],
    ])("with stdout closed (success %s: exit %i)", async (success, code) => {
      const stderr = expect.stringMatching(/^warning: [^\n]+nmae[^\n]+\n$/);
      expect(await guard(success, "stdout")).toEqual({ code, signal: null, stdout: "", stderr });
    });

    test("with stderr closed, stdout is complete", async () => {
      const { code, stdout } = await guard(false, "stderr");
      expect([code, onlyObject(stdout).outcome]).toEqual([1, "denied"]);
    });
  });
});

describe.skipIf(!existsSync("/dev/full"))("a full disk", () => {
  test("stdout that cannot be written: one line on stderr, exit 74", async () => {
    const result = await runShell("app_sim choices >/dev/full", directory.path);
    expect(result).toEqual({
      code: 74,
      stdout: "",
      stderr: expect.stringMatching(/^error: stdout [^\n]*ENOSPC[^\n]*\n$/),
    });
  });

  test("neither stdout nor stderr can be written: still exit 74", async () => {
    expect(await runShell("app_sim choices >/dev/full 2>&1", directory.path)).toEqual({
      code: 74,
      stdout: "",
      stderr: "",
    });
  });
});

describe("a Node that is too old", () => {
  const withNode = (node: string, ...args: string[]) => {
    const preload = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "${node}" })`;
    const program = fixturePath("../bin/app-sim.js");
    return spawnSync(process.execPath, ["--import", preload, program, ...args], { encoding: "utf8" });
  };

  test.each(["18.20.8", "20.18.3"])("%s gets an explanation, and nothing is started", (node) => {
    const { status, stdout, stderr } = withNode(node, "--help");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `error: app-sim needs Node 20.19 or newer, this is ${node}\nhint: install a newer Node, or let PATH name one\n`,
    );
  });

  test.each(["20.19.0", "22.1.0"])("%s is none", (node) => {
    expect(withNode(node, "--help")).toMatchObject({ status: 0, stderr: "" });
  });

  test("the first file of the program has no newer syntax, and requires the same version as the package", () => {
    const source = readFileSync(fixturePath("../bin/app-sim.js"), "utf8");
    const { engines } = JSON.parse(readFileSync(fixturePath("../package.json"), "utf8"));
    expect(engines.node).toBe(`>=${/LEAST_NODE = \[(\d+), (\d+)\]/.exec(source)?.slice(1).join(".")}`);
    expect(source).not.toMatch(/\?\.[a-z(]|\?\?|^\s*await /m);
  });
});

describe("what a container does not have", () => {
  const asNobody = ["--reuid=54321", "--regid=54321", "--clear-groups"];
  const version = [process.execPath, fixturePath("../bin/app-sim.js"), "--version"];
  const canBeNobody = spawnSync("setpriv", [...asNobody, ...version]).status === 0;

  async function guardWith(prefix: string): Promise<void> {
    chmodSync(directory.path, 0o777);
    const command = `${prefix} "$NODE" "$PROGRAM" guard --app http://127.0.0.1:9`;
    const { code, stdout, stderr } = await runShell(command, directory.path);
    expect([code, stderr]).toEqual([3, ""]);
    expect(stdout).toContain("nothing listens at http://127.0.0.1:9");
    expect(exchangesIn(directory.path)).toHaveLength(1);
  }

  test("HOME", () => guardWith("env -u HOME"));

  // Becoming another user takes root, and a checkout that others may read.
  test.skipIf(!canBeNobody)("HOME and an entry of the user", () =>
    guardWith(`setpriv ${asNobody.join(" ")} env -u HOME`),
  );

  test("a working directory: a line and a hint, exit 2", async () => {
    const result = await runShell("mkdir gone && cd gone && rmdir ../gone && app_sim config", directory.path);
    const stderr = expect.stringMatching(/^error: the working directory no longer exists\nhint: [^\n]+\n$/);
    expect(result).toEqual({ code: 2, stdout: "", stderr });
  });
});

describe("R29: without an input", () => {
  test.each(["<&-", "</dev/null"])("%s: the same plain lines", async (redirection) => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer((call) => call.reply({ success: true }));
    const { code, stdout } = await runShell(`app_sim guard --app ${app.url} ${redirection}`, directory.path);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Access granted$/m)]);
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
      const translations = { uk: { text: HOSTILE } };
      const changed = { ...first, ...hostile, translations };
      const added = [
        { ...hostile, uniqId: `1${HOSTILE}`, translations },
        { ...hostile, uniqId: HOSTILE, identifier: "" },
      ];
      call.reply({ data: { strings: [changed, ...rest, ...added] } });
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
    const result = await runLine(args, { cwd: directory.path });
    expect(rawControls(result.stdout)).toEqual([]);
    expect(rawControls(result.stderr)).toEqual([]);
    expect(result.code).toBe(code);
    return result;
  }

  test.each(commands)("%s, and its exchange in the log", async (name, args, code) => {
    const called = [name, ...args, "--app", app.url];
    const [, { stdout }] = await Promise.all([run(code, ...called), run(code, ...called, "--format", "json")]);
    // Whoever reads the JSON gets it as the app said it.
    const parsed = JSON.stringify(JSON.parse(stdout));
    expect(parsed).toContain(name === "webhook" ? "U+009B" : JSON.stringify(HOSTILE).slice(1, -1));
    const id = exchangesIn(directory.path).find(({ purpose }) => purpose === name)?.id ?? "none";
    const [log] = await Promise.all([run(0, "log", id, "--format", "json"), run(0, "log", id)]);
    expect(onlyObject(log.stdout).records[0].response.body.text).toContain("\u009b");
  });

  test("an answer with faults at places that the app names", async () => {
    await using other = await startFakeApp({ manifest });
    other.answer((call) => {
      const { strings } = call.json() as { strings: Record<string, unknown>[] };
      const broken = { translations: { [HOSTILE]: { text: 5 } } };
      call.reply({ data: { strings: strings.map((string) => ({ ...string, ...broken })) } });
    });
    const args = ["post-import", greetings, "--app", other.url];
    const [{ stdout }, asJson] = await Promise.all([run(1, ...args), run(1, ...args, "--format", "json")]);
    expect(stdout).toMatch(/^ +fault: data\.strings\[0\] "greeting", translations\.␛\]52;c;aGk=␇/m);
    const [{ findings }] = onlyObject(asJson.stdout).jobs;
    expect(findings[0].path).toBe(`data.strings[0].translations.${HOSTILE}.text`);
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
    const shown = [[], ["1"], ["last"]].map((which) => run(0, "log", ...which));
    const [{ stdout }] = await Promise.all([run(0, "log", "--format", "json"), run(2, "log", "2"), ...shown]);
    expect(onlyObject(stdout).records[2].reason).toBe(HOSTILE);
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
    const { authorization, signature } = { authorization: call.header("authorization"), signature: signatureOf(call) };
    const told = [clientSecret, appSecret, authorization, call.header("x-platform-signature"), signature].join(" ");
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
    "%s does not show them, and neither does its log, even if the app repeats them",
    async (...args) => {
      await using app = await startFakeApp({ manifest });
      app.answer(tellAll);
      const run = (...more: string[]) => runLine(more, { cwd: directory.path, env });
      const called = [...args, "--app", app.url];
      const results = await Promise.all([run(...called), run(...called, "--format", "json")]);
      const id = exchangesIn(directory.path).findLast(({ purpose }) => purpose === args[0])?.id ?? "none";
      const logs = [["log", id], ["log", "last"], ["log"], ["log", "--format", "json"]];
      results.push(...(await Promise.all(logs.map((log) => run(...log)))));

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

  test("are kept in a file that only its owner may read, and that git ignores", async () => {
    directory.write("m.json", manifest);
    await runLine(["guard", "--app", "http://127.0.0.1:9", "--manifest", "m.json"], { cwd: directory.path });
    const modeOf = (name: string) => statSync(`${directory.path}/.app-sim/${name}`).mode & 0o777;
    expect([modeOf("."), modeOf("journal.ndjson")]).toEqual([0o700, 0o600]);
    expect(readFileSync(`${directory.path}/.app-sim/.gitignore`, "utf8")).toBe("*\n");
  });
});

test.each([0, 1])(
  "a config module that ends the process with %i is named, and the exit code is 2",
  async (exitCode) => {
    directory.write("app-sim.config.mjs", `process.exit(${exitCode});\nexport default {};\n`);
    const { code, stdout, stderr } = await runCli(["guard"], { cwd: directory.path });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .* a config module ended the process \(process\.exit\)\nhint: throw an error/);
  },
);

test("a command that waits for something that never comes ends with a reason, and not with 0", async () => {
  directory.write("app-sim.config.mjs", "await new Promise(() => {});\nexport default {};\n");
  const { code, stdout, stderr } = await runCli(["verify"], { cwd: directory.path });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: the command never finished: .*\nhint: does a config module await/);
});
