import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../rig/cli.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

interface ShownValue {
  readonly path: string;
  readonly value: unknown;
  readonly origin: string;
}

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const config = (args: readonly string[], env: NodeJS.ProcessEnv = {}, run = runLine) =>
  run(["config", ...args], { cwd: directory.path, env });

/** Every value that is not the default, with its origin, by its path. */
async function changed(args: readonly string[], env: NodeJS.ProcessEnv = {}, run = runLine) {
  const { stdout, stderr, code } = await config(["--format", "json", ...args], env, run);
  expect([code, stderr]).toEqual([0, ""]);
  const { values } = onlyObject(stdout) as { values: ShownValue[] };
  return Object.fromEntries(
    values.filter(({ origin }) => origin !== "default").map(({ path, value, origin }) => [path, [value, origin]]),
  );
}

describe("what is shown", () => {
  test("as text: every value with where it came from, exit 0", async () => {
    const { code, stdout, stderr } = await config(["--app", "http://localhost:8080"]);
    expect([code, stderr]).toEqual([0, ""]);
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows).toContainEqual(["apps[0].url", '"http://localhost:8080"', "flag --app"]);
    expect(rows).toContainEqual(["organization.domain", '"acme"', "default"]);
    expect(rows).toContainEqual(["choices.guard.jwt.lifetime", "900", "default"]);
  });

  test("the built-in world: the roles, the languages, the installation", async () => {
    const { stdout } = await config(["--format", "json"]);
    const { command, values } = onlyObject(stdout) as { command: string; values: ShownValue[] };
    const valueAt = (path: string) => values.find((value) => value.path === path)?.value;
    expect(command).toBe("config");
    expect(values.filter(({ path }) => /^users\[\d\]\.role$/.test(path)).map(({ value }) => value)).toEqual([
      "owner",
      "admin",
      "manager",
      "member",
      "outsider",
    ]);
    expect(valueAt("organization.edition")).toBe("enterprise");
    expect(valueAt("projects[0].targetLanguages")).toEqual(expect.arrayContaining(["uk", "de", "pl", "ar", "ja"]));
    expect(valueAt("apps[0].clientId")).toBe("app-sim-client");
  });

  test("the only app is also found under the file's name for it", async () => {
    const { stdout } = await config(["app.url", "--format", "json"]);
    expect(onlyObject(stdout).values).toMatchObject([{ path: "apps[0].url" }]);
  });

  test("S27: of secrets only their length", async () => {
    directory.write("app-sim.config.json", { app: { clientSecret: "canary-1", appSecret: "canary-22" } });
    expect(await changed([])).toEqual({
      "apps[0].clientSecret": ["(hidden, 8 characters)", "file app-sim.config.json"],
      "apps[0].appSecret": ["(hidden, 9 characters)", "file app-sim.config.json"],
    });
    expect((await config([])).stdout).not.toContain("canary");
  });

  test("--schema: a JSON Schema that knows the short form", async () => {
    const { code, stdout } = await config(["--schema"]);
    expect(code).toBe(0);
    const { properties, additionalProperties } = onlyObject(stdout);
    expect(additionalProperties).toBe(false);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["app", "apps", "organization", "choices"]));
  });
});

describe("flags beat the environment, which beats the file, which beats the default", () => {
  const file = {
    app: { url: "http://file:1", clientId: "file" },
    organization: { domain: "file" },
    login: { user: "admin" },
    port: 1001,
  };
  const env = { APP_SIM_APP: "http://env:2", APP_SIM_CLIENT_ID: "env", APP_SIM_PORT: "1002" };
  const ofFile = "file app-sim.config.json";

  test("value by value", async () => {
    directory.write("app-sim.config.json", file);
    expect(await changed(["--app", "http://flag:3"], env)).toEqual({
      "apps[0].url": ["http://flag:3", "flag --app"],
      "apps[0].clientId": ["env", "env APP_SIM_CLIENT_ID"],
      port: [1002, "env APP_SIM_PORT"],
      "organization.domain": ["file", ofFile],
      "login.user": ["admin", ofFile],
    });
  });

  test("and a run uses them: the user of the file, the address of the flag", async () => {
    directory.write("app-sim.config.json", file);
    directory.write("m.json", { modules: {} });
    const args = ["guard", "--app", "http://127.0.0.1:9", "--manifest", "m.json", "--format", "json"];
    const { stdout } = await runLine(args, { cwd: directory.path, env });
    expect(onlyObject(stdout).user.role).toBe("admin");
  });
});

test("an empty variable is not used, and a warning on stderr says so", async () => {
  directory.write("app-sim.config.json", { port: 1001 });
  const { stdout, stderr } = await config(["port"], { APP_SIM_PORT: "" });
  expect(stdout).toBe("port  1001  file app-sim.config.json\n");
  expect(stderr).toBe(
    "warning: APP_SIM_PORT is set but empty, so it is not used: the config file or the default applies\n",
  );
});

describe("the config file", () => {
  test("is the nearest above the working directory, and its own paths are relative to it", async () => {
    directory.write("app-sim.config.mjs", "export default { journal: 'kept', app: { manifest: 'm.json' } };");
    directory.write("a/b/here.txt", "");
    const { stdout } = await runLine(["config", "--format", "json"], { cwd: `${directory.path}/a/b` });
    const { values } = onlyObject(stdout) as { values: ShownValue[] };
    const found = values.filter(({ origin }) => origin.startsWith("file "));
    expect(Object.fromEntries(found.map(({ path, value }) => [path, value]))).toEqual({
      "apps[0].manifest": `${directory.path}/m.json`,
      journal: `${directory.path}/kept`,
    });
  });

  test("that is not read causes a warning on stderr", async () => {
    directory.write("app-sim.config.json", {});
    directory.write("app-sim.config.mjs", "export default {};");
    expect((await config([])).stderr).toMatch(/^warning: \S+app-sim\.config\.mjs is not read: /);
  });

  test("--config names another, and beats APP_SIM_CONFIG", async () => {
    directory.write("app-sim.config.json", { port: 1 });
    directory.write("env.json", { port: 2 });
    directory.write("flag.json", { port: 3 });
    expect(await changed([], { APP_SIM_CONFIG: "env.json" })).toEqual({ port: [2, "file env.json"] });
    const both = await changed(["--config", "flag.json"], { APP_SIM_CONFIG: "env.json" });
    expect(both).toEqual({ port: [3, "file flag.json"] });
  });

  test("may be a module, of either kind", async () => {
    // How Node imports them is for a process of its own: here the test runner does it.
    directory.write("app-sim.config.js", "module.exports = { port: 4 };");
    expect(await changed([], {}, runCli)).toEqual({ port: [4, "file app-sim.config.js"] });
    directory.write("app-sim.config.js", "export default { port: await Promise.resolve(5) };");
    expect(await changed([])).toEqual({ port: [5, "file app-sim.config.js"] });
  });
});

describe("wrong values: exit 2, the path, the value, what is allowed, the nearest right name", () => {
  test("all at once, with where each comes from", async () => {
    directory.write("app-sim.config.json", {
      app: { urll: "x", clientSecret: 8_472_611 },
      login: { user: "memberr" },
      organization: { edition: "enterprize" },
      prot: 1,
    });
    const { code, stdout, stderr } = await config(["--format", "json"]);
    expect([code, stdout]).toEqual([2, ""]);
    const { error } = onlyObject(stderr);
    expect(error.code).toBe("config-invalid");
    expect(error.message).toContain("app-sim.config.json");
    const problems = error.problems as { path: string; message: string }[];
    const messages = Object.fromEntries(problems.map(({ path, message }) => [path, message]));
    expect(messages).toEqual({
      "app.urll": expect.stringContaining('Did you mean "url"?'),
      "app.clientSecret": expect.stringContaining("expected a string"),
      "login.user": expect.stringMatching(/^is "memberr": allowed: "owner", .* Did you mean "member"\?$/),
      "organization.edition": expect.stringContaining('Did you mean "enterprise"?'),
      prot: expect.stringContaining('Did you mean "port"?'),
    });
    // S27: a secret without its quotes is still the secret.
    expect(stderr).not.toContain("8472611");
  });

  test.each([
    ["a variable that means nothing", [], { APP_SIM_APPP: "x" }, 'Did you mean "APP_SIM_APP"?'],
    ["a variable's value", [], { APP_SIM_PORT: "70000" }, "APP_SIM_PORT is 70000: "],
    [
      "a flag's value",
      ["--app", "localhost:3000"],
      {},
      'error: --app cannot be localhost:3000. Did you mean "http://localhost:3000"?\nhint: expected an http://',
    ],
    ["an address without http://", ["--app", "localhost:3000"], {}, 'Did you mean "http://localhost:3000"?'],
    ["no such config file", ["--config", "nowhere.json"], {}, "there is no config file nowhere.json"],
  ])("%s", async (_, args, env, says) => {
    const { code, stdout, stderr } = await config(args, env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(says);
  });
});

test("can be limited to values, or those below them", async () => {
  const { stdout } = await runLine(["config", "port", "apps[0]", "--format", "json"], { cwd: directory.path });
  const paths: string[] = onlyObject(stdout).values.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(["port", "apps[0].url", "apps[0].clientId"]));
  expect(paths.filter((path) => !/^(port$|apps\[0\])/.test(path))).toEqual([]);
  const { code, stderr } = await runLine(["config", "prot"], { cwd: directory.path });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "port"?')]);
});
