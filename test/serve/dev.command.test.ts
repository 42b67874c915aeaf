import { describe, expect, test } from "vitest";
import { startCli } from "../rig/cli.ts";
import { manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

/** An app that says what it was given, and starts another process in its place when it is asked to restart. */
const APP = `
  const { spawn } = require("node:child_process");
  const { createServer } = require("node:http");
  const [, , port, role] = process.argv;
  if (role === "server") {
    createServer((request, response) => {
      if (request.url === "/restart") response.end(() => process.exit(9));
      else response.setHeader("content-type", "application/json").end('{"modules":{}}');
    }).listen(Number(port), "127.0.0.1", () => console.log("pid " + process.pid + " " + process.env.PLATFORM_BASE_URL));
  } else {
    const start = () => {
      const server = spawn(process.execPath, [__filename, port, "server"], { stdio: "inherit" });
      server.once("exit", (code) => (code === 9 ? start() : process.exit()));
      for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.kill(signal));
    };
    start();
  }
`;

async function started(dir: TempDir, ...flags: readonly string[]) {
  const [appPort, port] = [await unusedPort(), await unusedPort()];
  const file = dir.write("app.cjs", APP);
  const app = `http://127.0.0.1:${appPort}`;
  const cli = startCli(
    ["dev", "--app", app, "--port", String(port), ...flags, "--", process.execPath, file, String(appPort)],
    { cwd: dir.path },
  );
  return { cli, app, port };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("app-sim dev", () => {
  test.each([
    ["SIGINT", 0],
    ["SIGTERM", 143],
  ] as const)("starts the app with the platform, reports its restart, and %s ends both", async (signal, code) => {
    using dir = makeTempDir();
    const { cli, app, port } = await started(dir);
    await using _ = cli;
    await cli.printed(new RegExp(`The app listens at ${app} after [\\d.]+ s`));
    await cli.printed(new RegExp(`pid (\\d+) http://127.0.0.1:${port}\n`));
    await cli.printed(/manifest of .*: no modules/);
    // Other commands find the platform.
    const beside = await runLine(["clock", "--port", String(port)], { cwd: dir.path });
    expect(beside.code).toBe(0);
    await fetch(`${app}/restart`);
    await cli.printed(/has started again/);
    cli.child.kill(signal);
    const ended = await cli.done;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain("The platform has ended.");
    const pids = [...ended.stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("ends with the exit code of an app that ends by itself; JSON on stdout is pure", async () => {
    using dir = makeTempDir();
    const flags = ["--port", String(await unusedPort()), "--app", `http://127.0.0.1:${await unusedPort()}`];
    const args = [
      "dev",
      "--format",
      "json",
      ...flags,
      "--",
      process.execPath,
      "-e",
      "console.log('mine'); process.exit(7)",
    ];
    await using cli = startCli(args, { cwd: dir.path });
    const { code, stdout, stderr } = await cli.done;
    expect(code).toBe(7);
    expect(onlyObject(stdout)).toMatchObject({ command: "dev" });
    expect(stderr).toMatch(/^mine$/m);
    expect(stderr).toContain("The app has ended with exit code 7.");
  });

  test("a program that already listens is not mistaken for the app, which is not started", async () => {
    using dir = makeTempDir();
    await using other = await startFakeApp({ manifest: manifestOf({}) });
    const flags = ["--port", String(await unusedPort()), "--app", other.url];
    const { code, stdout, stderr } = await runLine(["dev", ...flags, "--", process.execPath, "-e", "console.log(1)"], {
      cwd: dir.path,
    });
    expect([code, stdout]).toEqual([2, expect.not.stringMatching(/^1$/m)]);
    expect(stderr).toContain(`error: something already listens at ${other.url}\nhint: end it;`);
    expect(stderr).not.toContain("The app listens");
    expect(`${stdout}${stderr}`).not.toContain("The platform is ready");
  });

  test.each([
    [["dev", "npm", "start", "--port", "PORT"], "put -- before the command, so that its options are its own: "],
    [["dev", "--port", "PORT", "npm", "start"], "end "],
  ])("a taken port, %j: only the platform's own port is checked", async (line, hint) => {
    using dir = makeTempDir();
    await using other = await startFakeApp({ manifest: manifestOf({}) });
    const words = line.map((word) => (word === "PORT" ? new URL(other.url).port : word));
    const { code, stderr } = await runLine(words, { cwd: dir.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`\nhint: ${hint}`)]);
  });

  test("an unknown command: exit 127", async () => {
    using dir = makeTempDir();
    const flags = ["--port", String(await unusedPort()), "--app", `http://127.0.0.1:${await unusedPort()}`];
    await using cli = startCli(["dev", ...flags, "--", "no-such-command", "two words"], { cwd: dir.path });
    expect(await cli.done).toMatchObject({
      code: 127,
      stdout: expect.stringContaining("no-such-command 'two words'"),
      stderr: expect.stringContaining("there is no command no-such-command"),
    });
  });
});
