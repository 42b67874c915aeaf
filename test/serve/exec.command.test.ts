import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Invocation } from "../../src/action/invocation.ts";
import { ExitError } from "../../src/output/exit-error.ts";
import { execCommand } from "../../src/serve/exec-command.ts";
import { runCli, startCli } from "../rig/cli.ts";
import { startCommand, withCall } from "../rig/command.ts";
import { startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { isListening, onlyObject } from "../rig/output.ts";
import { PROGRAM } from "../rig/program.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const node = process.execPath;
const announced = () => readdirSync(join(directory.path, ".app-sim")).filter((name) => name.startsWith("serve-"));

/** `app-sim exec -- COMMAND` in this process, whose stdout the command has. */
function startExec(command: readonly string[], invocation: Partial<Invocation> = {}, prefix = "PLATFORM_") {
  const given = { cwd: directory.path, env: process.env, ...invocation };
  return startCommand(withCall(execCommand, { args: command, flags: { prefix } }), given);
}

describe("the command", () => {
  test("has the variables of app-sim env with the platform's port, and those that app-sim clock needs; app-sim prints nothing on stdout", async () => {
    const script = `
      const { execFileSync } = require("node:child_process");
      const clock = execFileSync(process.execPath, [${JSON.stringify(PROGRAM)}, "clock", "advance", "2h", "--format", "json"]);
      console.log(JSON.stringify({ env: process.env, clock: JSON.parse(clock), args: process.argv.slice(1) }));
      process.exitCode = 7;
    `;
    const args = ["exec", "--redirect-uri", "http://127.0.0.1:3000/cb", "--prefix", "ACME_"];
    // What stands after -- is the command's, also what looks like an option of ours.
    const command = [node, "-e", script, "--", "--format", "json", "--port"];
    const { code, stdout, stderr } = await runCli([...args, "--", ...command], {
      cwd: directory.path,
      env: { MINE: "kept", APP_SIM_PORT: "1" },
    });
    expect([code, stderr]).toEqual([7, ""]);
    const seen = onlyObject(stdout);
    const url = `http://127.0.0.1:${seen.env.APP_SIM_PORT}`;
    expect(seen.env).toMatchObject({
      MINE: "kept",
      APP_SIM_JOURNAL: join(directory.path, ".app-sim"),
      ACME_BASE_URL: url,
      ACME_AUTH_URL: url,
      ACME_API_URL: url,
      ACME_CLIENT_SECRET: "app-sim-client-secret-long-enough-for-HS256",
      ACME_REDIRECT_URI: "http://127.0.0.1:3000/cb",
    });
    expect(seen.env.APP_SIM_PORT).not.toBe("1");
    expect(seen.clock).toMatchObject({ command: "clock", url, frozen: false });
    expect(Math.round(seen.clock.offsetMs / 1000)).toBe(7200);
    expect(seen.args).toEqual(["--format", "json", "--port"]);
    expect([await isListening(Number(seen.env.APP_SIM_PORT)), announced()]).toEqual([false, []]);
  });

  test.each([
    [[], ["--"]],
    [["--"], []],
    [["--"], ["--", "--"]],
  ])("has its own -- (before it %j, in it %j)", async (before, own) => {
    const script = directory.write(
      "told.mjs",
      'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("told", import.meta.url), process.argv.slice(2).join());',
    );
    const words = ["a", ...own, "--b"];
    const { code } = await runLine(["exec", ...before, node, script, ...words], { cwd: directory.path });
    expect([code, readFileSync(join(directory.path, "told"), "utf8")]).toEqual([0, words.join()]);
  });

  test("finds the platform at the port of --port; a taken one is named", async () => {
    const port = await unusedPort();
    const script = `fetch("http://127.0.0.1:${port}/").then((answer) => { process.exitCode = answer.ok ? 5 : 6; })`;
    expect(await startExec([node, "-e", script], { settings: { port: String(port) } }).done).toBe(5);
    await using taken = await startSilentPort();
    const error = await usageErrorOf(startExec(["true"], { settings: { port: String(taken.port) } }).done);
    expect(error.code).toBe("port-taken");
  });
});

describe("common problems are reported", () => {
  const authorize = (count: number) => `
    const query = new URLSearchParams({ client_id: process.env.PLATFORM_CLIENT_ID, scope: "project", state: "s",
      redirect_uri: process.env.PLATFORM_REDIRECT_URI, response_type: "code" });
    const ask = () => fetch(process.env.PLATFORM_AUTH_URL + "/oauth/authorize?" + query, { redirect: "manual" });
    for (let i = 0; i < ${count}; i++) await ask();
  `;
  const redirectUri = ["http://127.0.0.1:3000/cb"];

  test.each([
    ["ask", 0, ""],
    ["ask", 1, "1 unanswered consent page: app-sim exec --consent approve answers them\n"],
    ["ask", 3, "3 unanswered consent pages: app-sim exec --consent approve answers them\n"],
    ["approve", 3, ""],
  ])("consent %s, %i asked for", async (consent, count, told) => {
    const command = [node, "--input-type=module", "-e", authorize(count)];
    await using running = startExec(command, { settings: { consent, redirectUri } });
    expect(await running.done).toBe(0);
    expect(running.stderr()).toBe(told);
  });

  test("a consent page that was answered needs no message", async () => {
    const script = `${authorize(1)}
      const page = await (await ask()).text();
      const field = (name) => page.match(new RegExp('name="' + name + '" value="([^"]*)"'))[1];
      const form = { request: field("request"), token: field("token"), user: page.match(/<option value="([^"]*)"/)[1], decision: "deny" };
      const url = process.env.PLATFORM_AUTH_URL + "/oauth/authorize";
      const headers = { origin: process.env.PLATFORM_AUTH_URL };
      const answer = await fetch(url, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
      process.exitCode = answer.status === 303 ? 0 : 1;
    `;
    const command = [node, "--input-type=module", "-e", script];
    await using running = startExec(command, { settings: { consent: "ask", redirectUri } });
    expect(await running.done).toBe(0);
    expect(running.stderr()).toMatch(/^1 unanswered consent page/);
  });

  test("R1: a command that is itself a platform needs no exec", async () => {
    const told = join(directory.path, "stderr");
    const script = `
      const { spawnSync } = require("node:child_process");
      const { status, stderr } = spawnSync(process.execPath, [${JSON.stringify(PROGRAM)}, "serve"]);
      require("node:fs").writeFileSync(${JSON.stringify(told)}, stderr);
      process.exitCode = status;
    `;
    expect(await startExec([node, "-e", script]).done).toBe(2);
    expect(readFileSync(told, "utf8")).toMatch(
      /^error: app-sim exec \(process \d+\) uses port \d+\nhint: this command starts .* needs no exec: /,
    );
  });
});

describe("the exit code is the command's", () => {
  test.each([
    ["0", 0],
    ["3", 3],
    ["130", 130],
  ])("%s", async (code, expected) => {
    expect(await startExec([node, "-e", `process.exit(${code})`]).done).toBe(expected);
  });

  test("128 + n if the signal n ended it", async () => {
    expect(
      await startExec([node, "-e", `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`]).done,
    ).toBe(137);
  });

  test.each([
    ["127 where there is none", "app-sim-has-no-such-command", 127, "command-not-found"],
    ["127 where quotes make one name of it", "no-such-command --flag", 127, "command-not-found"],
    ["127 where its name is empty", "", 127, "command-not-found"],
    ["126 where it cannot be run", ".", 126, "command-not-executable"],
  ])("%s", async (_, command, exitCode, code) => {
    const error = await usageErrorOf(startExec([command]).done);
    expect(error).toBeInstanceOf(ExitError);
    expect(error).toMatchObject({ exitCode, code, message: expect.stringContaining(command) });
    expect(announced()).toEqual([]);
  });

  test.each([
    [["PORT=3000", "npm", "run", "my app"], "use env: -- env PORT=3000 npm run 'my app'"],
    [["no-such-command --flag"], "remove the quotes around it: -- no-such-command --flag"],
  ])("%j: the hint says how to run it", async (command, hint) => {
    const { code, stderr } = await runLine(["exec", "--", ...command], { cwd: directory.path });
    expect(code).toBe(127);
    expect(stderr).toContain(hint);
  });

  test("for a script without permission to run, the hint says how to give it", async () => {
    directory.write("start.sh", "#!/bin/sh\n");
    const { code, stderr } = await runCli(["exec", "--", "./start.sh"], { cwd: directory.path });
    expect(code).toBe(126);
    expect(stderr).toContain("is it executable? For your own script: chmod +x ./start.sh");
  });

  test("on the command line: a line and a hint on stderr, and the command's --format is not app-sim's", async () => {
    const command = ["exec", "--", "app-sim-has-no-such-command", "--format", "json"];
    const { code, stdout, stderr } = await runLine(command, { cwd: directory.path });
    expect([code, stdout]).toEqual([127, ""]);
    expect(stderr).toMatch(/^error: there is no command app-sim-has-no-such-command\nhint: [^\n]+\n$/);
  });
});

describe("R21: signals go to the command", () => {
  const patient = (signal: string, code: number) =>
    `process.on("${signal}", () => process.exit(${code})); console.log("ready"); setInterval(() => {}, 1000);`;

  test("SIGINT: it may end as it likes, and its exit code counts", async () => {
    await using cli = startCli(["exec", "--", node, "-e", patient("SIGINT", 5)], { cwd: directory.path });
    await cli.printed(/^ready$/m);
    cli.child.kill("SIGINT");
    expect(await cli.done).toMatchObject({ code: 5, signal: null, stdout: "ready\n", stderr: "" });
    expect(announced()).toEqual([]);
  });

  test("SIGTERM: it ends a command that does not handle it: 143", async () => {
    const script = `console.log("ready"); setInterval(() => {}, 1000)`;
    await using cli = startCli(["exec", "--", node, "-e", script], { cwd: directory.path });
    await cli.printed(/^ready$/m);
    cli.child.kill("SIGTERM");
    expect(await cli.done).toMatchObject({ code: 143, signal: null });
  });
});

describe("wrong usage", () => {
  test("an invalid prefix is reported before anything is started", async () => {
    const error = await usageErrorOf(startExec(["true"], {}, "1X").done);
    expect(error.message).toContain("--prefix 1X");
  });

  test("without a command: exit 2", async () => {
    const { code, stderr } = await runLine(["exec"], { cwd: directory.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining("missing required argument 'command'")]);
  });
});
