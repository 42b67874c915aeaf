import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { runShell } from "../rig/shell.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const standard = {
  PLATFORM_BASE_URL: "http://127.0.0.1:7410",
  PLATFORM_AUTH_URL: "http://127.0.0.1:7410",
  PLATFORM_API_URL: "http://127.0.0.1:7410",
  PLATFORM_SDK_URL: "http://127.0.0.1:7410",
  PLATFORM_ORGANIZATION_ID: "200000001",
  PLATFORM_ORGANIZATION_DOMAIN: "acme",
  PLATFORM_CLIENT_ID: "app-sim-client",
  PLATFORM_CLIENT_SECRET: "app-sim-client-secret-long-enough-for-HS256",
  PLATFORM_APP_SECRET: "app-sim-app-secret",
};

/** Secrets that readers of such files are known to stumble over. */
const awkward = [
  `it's "quoted" & spaced`,
  "$HOME `id` $(id) $[x] $x",
  "#no comment = here",
  "back\\slash\\n and \\' end\\",
  " spaces around ",
  "two\nlines",
  "новий ключ 😀",
  "!history !! *",
];

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const env = (...args: string[]) => runLine(["env", ...args], { cwd: directory.path });

describe("without any configuration", () => {
  test("dotenv is the default, and Node reads it", async () => {
    const { code, stdout, stderr } = await env();
    expect([code, stderr]).toEqual([0, ""]);
    expect(parseEnv(stdout)).toEqual(standard);
  });

  test("json", async () => {
    const { code, stdout } = await env("--format", "json");
    expect(code).toBe(0);
    expect(onlyObject(stdout)).toEqual(standard);
  });

  test("powershell: a value is a literal, whatever quotes it has", async () => {
    directory.write(
      "app-sim.config.json",
      JSON.stringify({ app: { clientSecret: "it's ’quoted’ $x `y", redirectUris: [] } }),
    );
    const { stdout } = await env("--format", "powershell");
    expect(stdout).toContain("$env:PLATFORM_CLIENT_SECRET = 'it''s ’’quoted’’ $x `y'\n");
    expect(stdout).toContain("$env:PLATFORM_CLIENT_ID = 'app-sim-client'\n");
  });

  test("shell", async () => {
    const result = await runShell('eval "$(app_sim env --format shell)" && env', directory.path);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(Object.fromEntries(result.stdout.split("\n").map((line) => line.split(/=(.*)/s, 2)))).toMatchObject(
      standard,
    );
  });
});

test("an app's redirect address and scopes are included if registered", async () => {
  const apps = [{ redirectUris: ["http://127.0.0.1:3000/cb", "my.app:/back"], scopes: ["project", "tm"] }, {}];
  directory.write("app-sim.config.json", { apps });
  const { stdout } = await env();
  const { PLATFORM_1_REDIRECT_URI, PLATFORM_1_SCOPES, ...rest } = parseEnv(stdout);
  expect([PLATFORM_1_REDIRECT_URI, PLATFORM_1_SCOPES]).toEqual(["http://127.0.0.1:3000/cb", "project tm"]);
  expect(Object.keys(rest).filter((name) => /REDIRECT|SCOPES/.test(name))).toEqual([]);
});

describe("the port of the platform", () => {
  test("is that of --port", async () => {
    const { code, stdout } = await env("--port", "7555", "--format", "json");
    expect([code, onlyObject(stdout).PLATFORM_API_URL]).toEqual([0, "http://127.0.0.1:7555"]);
  });

  test("0 is refused, because the port is not yet known", async () => {
    const { code, stdout, stderr } = await env("--port", "0");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .*port.* is 0.*\nhint: .*--port.*\n$/);
  });
});

describe("unusual secrets stay unchanged", () => {
  const expected = Object.fromEntries(awkward.map((secret, index) => [`X_${index + 1}_CLIENT_SECRET`, secret]));

  beforeEach(() => {
    const apps = awkward.map((clientSecret, index) => ({ url: `http://127.0.0.1:${index + 1}`, clientSecret }));
    directory.write("app-sim.config.json", { apps });
  });

  test("as dotenv", async () => {
    const { stdout } = await env("--prefix", "X_");
    expect(parseEnv(stdout)).toMatchObject(expected);
  });

  test("as json", async () => {
    const { stdout } = await env("--prefix", "X_", "--format", "json");
    expect(onlyObject(stdout)).toMatchObject(expected);
  });

  test("as shell", async () => {
    const names = Object.keys(expected);
    const print = names.map((name) => `printf '%s\\0' "$${name}"`).join("; ");
    const { stdout } = await runShell(`eval "$(app_sim env --prefix X_ --format shell)"; ${print}`, directory.path);
    expect(stdout.split("\0").slice(0, -1)).toEqual(awkward);
  });
});

test("what a dotenv file cannot hold is refused, not mangled", async () => {
  directory.write("app-sim.config.json", { app: { appSecret: "' \" ` of a secret" } });
  const { code, stdout, stderr } = await env();
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: .*\nhint: .*--format json.*\n$/);
});

describe("wrong usage", () => {
  test.each([
    [["--prefix", "1X"], "--prefix 1X"],
    [["--format", "text"], "allowed: dotenv, json, shell"],
    [["--format", "shel"], 'Did you mean "shell"?'],
  ])("%j: exit 2", async (args, says) => {
    const { code, stdout, stderr } = await env(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });
});
