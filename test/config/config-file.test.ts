import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/config/default-world.ts";
import type { Settings } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { runCli } from "../rig/cli.ts";
import { linesOf, refusal, scratch } from "./scratch.ts";

const { directory, withConfig } = scratch();

/** The problems of a config file, one line each. */
const problemsIn = async (config: unknown) => linesOf(await refusal(loadConfig({}, {}, await withConfig(config))));

describe("the config file", () => {
  it("is found in the directories above, nearest first", async () => {
    const top = await directory({
      "app-sim.config.json": { port: 1 },
      "near/app-sim.config.json": { port: 2 },
      "near/deep/er/x": "",
      "other/x": "",
    });
    const load = async (name: string) => {
      const { config, origins } = await loadConfig({}, {}, path.join(top, name));
      return [config.port, origins.get("port")];
    };
    expect(await load("near/deep/er")).toEqual([2, `file ${path.join(top, "near/app-sim.config.json")}`]);
    expect(await load("other")).toEqual([1, `file ${path.join(top, "app-sim.config.json")}`]);
  });

  it.each([
    ["app-sim.config.mjs", "export default { port: 5 };"],
    ["app-sim.config.cjs", "module.exports = { port: 5 };"],
    ["app-sim.config.js", "export default { port: 5 };"],
    ["app-sim.config.js", "module.exports = { port: 5 };"],
    ["app-sim.config.json", '{"$schema": "./schema.json", "port": 5}'],
    ["app-sim.config.json", '{ // mine\n  /* the usual one is taken */ "port": 5,\n}'],
    ["app-sim.config.jsonc", '{\n  "port": 5, // mine\n}'],
    ["app-sim.config.yaml", "# mine\nport: 5\n"],
    ["app-sim.config.yml", '{"port": 5}'],
  ])("may be %s", async (name, content) => {
    const { config, origins } = await loadConfig({}, {}, await directory({ [name]: content }));
    expect([config.port, origins.get("port")]).toEqual([5, `file ${name}`]);
  });

  it.each([
    ["cts", /^rename it to app-sim\.config\.mts, and write export default \{ … \}$/],
    ["toml", /^write it as JSON, as app-sim\.config\.json$/],
  ])("is not silently ignored if it is .%s", async (ending, hint) => {
    const name = `app-sim.config.${ending}`;
    const cwd = await directory({ [name]: "port: 5" });
    for (const settings of [{}, { config: name }]) {
      await expect(loadConfig(settings, {}, cwd)).rejects.toMatchObject({
        code: "config-unreadable",
        message: expect.stringContaining(name),
        hint: expect.stringMatching(hint),
      });
    }
    const both = await directory({ [name]: "port: 5", "app-sim.config.json": { port: 6 } });
    expect((await loadConfig({}, {}, both)).config.port).toBe(6);
  });

  it("says of an app's setting at the top that it belongs in app", async () => {
    const cwd = await directory({ "app-sim.config.json": { url: "http://127.0.0.1:3000" } });
    await expect(loadConfig({}, {}, cwd)).rejects.toMatchObject({
      problems: [{ path: "url", message: expect.stringContaining('{"app": {"url": …}}') }],
    });
  });

  it("is the one that --config or APP_SIM_CONFIG names, instead of the one that would be found", async () => {
    const cwd = await directory({
      "app-sim.config.json": { port: 1 },
      "conf/flag.json": { port: 2 },
      "conf/env.json": { port: 3 },
    });
    const env = { APP_SIM_CONFIG: "conf/env.json" };
    expect((await loadConfig({}, env, cwd)).config.port).toBe(3);
    const { config, origins } = await loadConfig({ config: "conf/flag.json" }, env, cwd);
    expect([config.port, origins.get("port")]).toEqual([2, `file ${path.join("conf", "flag.json")}`]);
  });

  it.each([
    ['{\n  // Grüße\n  "port": 1,,\n}', /^line 3 column 13, in `"port": 1,,`: there is one comma too many$/],
    ['{\n  # mine\n  "port": 1\n}', /^line 2 column 3, in `# mine`: a comment is written \/\/ … or \/\* … \*\/$/],
    ['{ "port": 1 } /* mine', /^line 1 column 15, .*: a comment is written/],
    ["{ /* a\n b */ port: 1 }", /^line 2 column 7, in `b \*\/ port: 1 }`: the name needs double quotes$/],
    [
      '{ "app": { "url": "x", } "port": 1 }',
      /^line 1 column 26, in `{ "app": { "url": "x", } "port": 1 }`: is a comma/,
    ],
    ["oops", /^line 1 column 1, in `oops`: JSON has commas between its members, and all names in double quotes$/],
  ])("that is not JSON gets an error with place and reason, even with comments: %j", async (text, hint) => {
    const cwd = await directory({ "app-sim.config.json": text });
    await expect(loadConfig({}, {}, cwd)).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it("may consist of comments only, which sets nothing", async () => {
    const cwd = await directory({ "app-sim.config.json": "// nothing yet\n" });
    await expect(loadConfig({}, {}, cwd)).rejects.toMatchObject({
      message: "app-sim.config.json is empty",
      hint: "write {} into it if nothing needs to be changed",
    });
  });

  it("with a misspelled name: the error names the existing file", async () => {
    const cwd = await directory({ "team.json": "{}" });
    await expect(loadConfig({ config: "team.jsn" }, {}, cwd)).rejects.toMatchObject({
      message: "there is no config file team.jsn",
      hint: "did you mean team.json, in the same folder?",
    });
  });

  it.each([
    ["nothing.json", {}, "config-unreadable", /^there is no config file nothing\.json$/],
    [
      "x.toml",
      { "x.toml": "port = 1" },
      "config-unreadable",
      /^the config file cannot be read: .*\.toml does not end in \.json, /,
    ],
    ["x.yaml", { "x.yaml": "# nothing yet" }, "config-invalid", /^x\.yaml is empty$/],
    ["x.json", { "x.json": "{port: 1}" }, "not-json", /x\.json: the file is not valid JSON: (?!.*(?:position|column))/],
    ["x.json", { "x.json": '{\n  "port": 1,,\n}' }, "not-json", /x\.json: the file is not valid JSON: [^0-9]*$/],
    [
      "x.json",
      { "x.json": '{"port":1,"port":2}' },
      "not-json",
      /x\.json: the file has the key "port" twice in one object$/,
    ],
    ["x.json", { "x.json": "\ufeff{}" }, "not-json", /x\.json: the file begins with a byte order mark/],
    ["x.json", { "x.json": '{"__proto__":{"port":1}}' }, "not-json", /forbidden prototype/],
    ["x.json", { "x.json": "[".repeat(100_000) }, "not-json", /nested deeper than/],
    ["x.json", { "x.json": " \n" }, "config-invalid", /^x\.json is empty$/],
    [
      "x.mjs",
      { "x.mjs": "throw 'odd'" },
      "config-unreadable",
      /^the config file .*x\.mjs fails when it is loaded: odd$/,
    ],
    [
      "x.mjs",
      { "x.mjs": "throw new Error('a\\nb')" },
      "config-unreadable",
      /^the config file .*x\.mjs fails when it is loaded, in line 1: a b$/,
    ],
    [
      "x.cjs",
      { "x.cjs": "\n\nmodule.exports = { port: a };" },
      "config-unreadable",
      /^the config file .*x\.cjs fails when it is loaded, in line 3: a is not defined$/,
    ],
    [
      "x.mjs",
      {
        "x.mjs": 'import { fail } from "./y.mjs";\n\nfail();',
        "y.mjs": "export function fail() { throw new Error('no'); }",
      },
      "config-unreadable",
      /^the config file .*x\.mjs fails when it is loaded, in line 3: no$/,
    ],
    [
      "x.mjs",
      { "x.mjs": 'export default Promise.reject(new Error("later"));' },
      "config-unreadable",
      /^the config file .*x\.mjs fails when it is loaded, in line 1: later$/,
    ],
    [
      "x.cjs",
      { "x.cjs": "module.exports = Promise.resolve({ port: 1 });" },
      "config-unreadable",
      /^the config file .*x\.cjs exports a promise$/,
    ],
    [
      "x.mjs",
      { "x.mjs": "export default new Promise(() => {});" },
      "config-unreadable",
      /^the config file .*x\.mjs exports a promise$/,
    ],
    [
      "x.mjs",
      { "x.mjs": 'export default {\n  app: { get url() { throw new Error("getter"); } },\n};' },
      "config-unreadable",
      /^the config file .*x\.mjs fails when it is loaded, in line 2: getter$/,
    ],
    ["x.mjs", { "x.mjs": "export const port = 1" }, "config-invalid", /^x\.mjs is not a valid configuration$/],
    ["x.mjs", { "x.mjs": "export default { port: 1n }" }, "config-invalid", /^x\.mjs is not a valid configuration$/],
    [".", {}, "config-unreadable", /^the config file cannot be read: /],
  ])("that is named %s (%#) must exist and be readable", async (config, files, code, summary) => {
    const error = await refusal(loadConfig({ config }, {}, await directory(files)));
    expect([error.code, error.summary]).toEqual([code, expect.stringMatching(summary)]);
    expect(error.hint).toMatch(/^.+$/);
  });

  it.each([
    ["__proto__: 1", /x\.yaml:1:1 __proto__ is not allowed/],
    ["app:\n\turl: x", /x\.yaml is not valid YAML: .*x\.yaml:2:1 tabs are not allowed for indentation/],
    ["app:\n  ulr: x", /x\.yaml is not a valid configuration: .*app\.ulr is not a known name\. Did you mean "url"/],
  ])("in YAML: the error says where it is wrong: %j", async (text, message) => {
    const cwd = await directory({ "x.yaml": text });
    await expect(loadConfig({ config: "x.yaml" }, {}, cwd)).rejects.toThrow(message);
  });

  it("may be TypeScript if Node removes the types, and says so otherwise", async () => {
    // In a process of its own: Vitest reads TypeScript by itself.
    const cwd = await directory({ "app-sim.config.ts": "const port: number = 5;\nexport default { port };" });
    const { code, stdout, stderr } = await runCli(["config", "port"], { cwd });
    if ("typescript" in process.features && process.features.typescript)
      expect(stdout).toContain("file app-sim.config.ts");
    else expect([code, stderr]).toEqual([2, expect.stringContaining("use Node 22.18 or newer, or rename")]);
  });

  it("that is not JavaScript: the error says where to see the mistake", async () => {
    // In a process of its own: Vitest reads modules in its own way.
    const cwd = await directory({ "x.mjs": "export default { port: };" });
    const { code, stderr } = await runCli(["config", "--config", "x.mjs"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/x\.mjs fails when it is loaded: Unexpected token '}'/);
    expect(stderr).toMatch(/\nhint: `node --check \S+x\.mjs` shows where\n/);
  });

  it.each([
    ["throw new Error('no')", "the module threw this itself: fix its line 1, or what it calls"],
    ['import "@no/such-package/part";', "hint: is the package's name right, and is it a dependency of this project?"],
    ['import { defineConfig } from "appsim";', 'hint: Did you mean "app-sim"?'],
    ['import { defineConfig } from "app-sim";', "hint: app-sim is not a dependency of this project: add it"],
    ['import { pth } from "node:path";', "hint: correct the name, or import something that node:path exports"],
    ['import "./none.mjs";', "a file that it imports does not exist: correct the path"],
    ["export const port = 1;", "the module has no default export: write `export default { … }`"],
    ["export default [];", "it is an array: write an object, { … }"],
    ["export default () => ({});", "the module exports a function: export the object itself, `export default { … }`"],
    ["export default { app: { url: process.env.NO_SUCH } };", "apps[0].url is undefined (is it read from a variable"],
    ["export default {};", "rename it to x.mjs, or write module.exports = { … }", "commonjs"],
    ["module.exports = {};", "rename it to x.cjs, or write export default { … }", "module"],
    ["const fs = require('node:fs');", "rename it to x.cjs, or write export default { … }", "module"],
  ])("that is %s: the error says how to fix it", async (content, hint, type?: string) => {
    const name = type === undefined ? "x.mjs" : "x.js";
    const cwd = await directory({ [name]: content, "package.json": { type: type ?? "module" } });
    const { code, stderr } = await runCli(["config", "--config", name], { cwd });
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(hint);
  });

  it("that has an app's address instead of the app: the error shows where to put it", async () => {
    const app = "http://127.0.0.1:3000";
    const error = await refusal(loadConfig({}, {}, await withConfig({ app })));
    expect(error.hint).toBe(`write { "app": { "url": "${app}" } }`);
  });

  it.each([
    ["127.0.0.1", ' Did you mean "http://127.0.0.1:3000"?'],
    ["localhost", ' Did you mean "http://localhost:3000"?'],
    ["htp://localhost:3000", ' Did you mean "http://localhost:3000"?'],
    ["htps://localhost:3000", ' Did you mean "https://localhost:3000"?'],
    ["ftp://localhost:3000", ""],
  ])("an address %j: the hint names the likely one", async (url, meant) => {
    const { problems } = await refusal(loadConfig({ app: url }, {}, await directory({})));
    expect(problems[0]?.message).toMatch(/ query and fragment\./);
    expect(problems[0]?.message).toContain(`fragment.${meant}`);
  });

  it.each([
    [
      { apps: { url: "http://127.0.0.1:3000" } },
      'apps is an array, [{ … }]; a single app can be written as "app": { … }',
    ],
    [{ app: [{}] }, 'several apps are a list: { "apps": [{ … }, { … }] }'],
    [{ webhooks: {} }, "modules belong in the app's manifest: serve it at /manifest.json"],
    [
      { app: { port: 3000 } },
      'write { "app": { "url": "http://127.0.0.1:3000" } }, with that port; { "port": … } is the port of',
    ],
    [{ secret: "abcdefghijk" }, 'an app has two secrets: { "app": { "clientSecret": … } } for OAuth'],
    [{ verify: { oauth: "/login" } }, 'write { "verify": { "oauth": { "start": "/login" } } }'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what other programs read
    [{ app: { url: "${APP_URL}" } }, "JSON has no variables: environment variables that begin with APP_SIM_"],
    [{ modules: {} }, "modules belong in the app's manifest: serve it at /manifest.json, or give its file: "],
  ])("%j: the hint shows how to write it", async (config, hint) => {
    expect((await refusal(loadConfig({}, {}, await withConfig(config)))).hint).toContain(hint);
  });

  it.each([".env", "app.env", ".env.local"])("%s is not one, and the error names what reads it", async (name) => {
    const cwd = await directory({ [name]: "APP_SIM_APP=http://127.0.0.1:3000" });
    const { hint } = await refusal(loadConfig({ config: name }, {}, cwd));
    expect(hint).toContain(`node --env-file=${name} node_modules/.bin/app-sim`);
  });

  it("a user's id instead of a role: the hint names the role", async () => {
    const { problems } = await refusal(loadConfig({ user: "104" }, {}, await directory({})));
    expect(problems[0]?.message).toMatch(/"outsider"\. Did you mean "member", the role of user 104\?$/);
  });

  it("an address with an impossible port: the error says so", async () => {
    const { problems } = await refusal(loadConfig({ app: "http://127.0.0.1:74610/a" }, {}, await directory({})));
    expect(problems[0]?.message).toBe('is "http://127.0.0.1:74610/a": its port 74610 is above 65535');
  });

  it.each(["0.5", "high"])("port %s: the error expects a whole number", async (port) => {
    const { problems } = await refusal(loadConfig({ port }, {}, await directory({})));
    expect(problems[0]?.message).toBe(`is "${port}": expected a whole number`);
  });

  it("variables that are similar to app-sim's own are reported with the files that are not read", async () => {
    const { unreadSettings } = await loadConfig({}, { APPSIM_PORT: "7462" }, await directory({ ".git/HEAD": "" }));
    expect(unreadSettings).toEqual(['the environment variable APPSIM_PORT is not read. Did you mean "APP_SIM_PORT"?']);
  });

  it("that is not read gets a warning if it is next to the one that is read, or above the repository", async () => {
    const cwd = await directory({ "app-sim.config.json": { port: 1 }, "app-sim.config.js": "", "sub/.git/HEAD": "" });
    const beside = `${path.join(cwd, "app-sim.config.js")} is not read: app-sim.config.json in the same folder takes precedence`;
    expect((await loadConfig({}, {}, cwd)).unreadSettings).toEqual([beside]);
    const sub = path.join(cwd, "sub");
    const above = `no config file is read: the search ends at ${sub}, the top of its repository; --config ${path.join(cwd, "app-sim.config.json")} reads it anyway`;
    expect((await loadConfig({}, {}, sub)).unreadSettings).toEqual([above]);
    const config = path.join(cwd, "app-sim.config.json");
    expect((await loadConfig({ config }, {}, sub)).unreadSettings).toEqual([]);
    expect((await loadConfig({}, { APP_SIM_CONFIG: config }, cwd)).unreadSettings).toEqual([]);
  });

  it("that is the only one, or missing, gets no warning", async () => {
    const cwd = await directory({ "app-sim.config.json": { port: 1 }, "sub/x": "", "sub/own/.git/HEAD": "" });
    expect((await loadConfig({}, {}, path.join(cwd, "sub"))).unreadSettings).toEqual([]);
    const own = await directory({ ".git/HEAD": "", "sub/x": "" });
    expect((await loadConfig({}, {}, path.join(own, "sub"))).unreadSettings).toEqual([]);
  });

  it("that is found and empty is refused too", async () => {
    const error = await refusal(loadConfig({}, {}, await withConfig("")));
    expect(error).toMatchObject({ code: "config-invalid", message: "app-sim.config.json is empty" });
  });
});

describe("unknown names in a config file", () => {
  it.each<[config: object, line: RegExp]>([
    [{ prot: 1 }, /^prot is not a known name\. Did you mean "port"\? Allowed here: \$schema, app, apps, .*, port, /],
    [
      { app: { uri: "x" } },
      /^app\.uri is not a known name\. Did you mean "url"\? Allowed here: url, manifest, clientId, /,
    ],
    [{ apps: [{}, { clientID: "x" }] }, /^apps\[1\]\.clientID is not a known name\. Did you mean "clientId"\?/],
    [
      { organization: { doman: "x" } },
      /^organization\.doman .* Did you mean "domain"\? Allowed here: id, domain, edition$/,
    ],
    [
      { users: [{ id: 1, role: "owner", login: "o", rol: "x" }] },
      /^users\[0\]\.rol .* "role"\? Allowed here: id, role, login, password, totpSecret$/,
    ],
    [{ projects: [{ nam: "x" }] }, /^projects\[0\]\.nam .* Did you mean "name"\? Allowed here: id, identifier, name, /],
    [
      { login: { usr: "x" } },
      /^login\.usr .* "user"\? Allowed here: user, ipAddress, mfa, deviceTrust, rememberMe, interactionTimeout$/,
    ],
    // A list of more than a dozen names is cut, and left out where the nearest one is known.
    [
      { choices: { "limits.sice": "x" } },
      /^choices\.limits\.sice is not a known name\. Did you mean "limits\.size"\?$/,
    ],
    [{ choices: { unlike: "x" } }, /^choices\.unlike is not a known name\. Allowed here: (?:[\w.]+, ){19}[\w.]+ …$/],
    [{ completelyDifferent: 1 }, /^completelyDifferent is not a known name\. Allowed here: /],
  ])("%j", async (config, line) => {
    expect(await problemsIn(config)).toEqual([expect.stringMatching(line)]);
  });
});

describe("wrong values", () => {
  it.each<[config: unknown, ...lines: string[]]>([
    [[], " the configuration is []: expected an object"],
    [
      { app: { redirectUris: "http://a.example/cb" } },
      'app.redirectUris is "http://a.example/cb": expected an array, such as ["http://a.example/cb"]',
    ],
    [{ users: "member" }, 'users is "member": expected an array'],
    ...["appSecret", "app.appSecret", "app_secret"].map((name): [unknown, string] => [
      { [name]: "x" },
      `${name} is not a known name here: it belongs elsewhere, as {"app": {"appSecret": …}}`,
    ]),
    ...["app-sim", "config"].map((name): [unknown, string] => [
      { [name]: { app: {}, port: 1 } },
      `${name} is not a known name, but what it contains is allowed here: leave out this level`,
    ]),
    [{ app: { port: 1 } }, "app.port is not a known name here: the port of an app is a part of its url"],
    [{ apps: [{ port: 1 }] }, "apps[0].port is not a known name here: the port of an app is a part of its url"],
    [{ users: {} }, "users is {}: expected an array, [{ … }]"],
    [
      { user: "member" },
      expect.stringMatching(
        /^user is .* elsewhere there is \{"login": \{"user": …\}\} and .*\. Did you mean "users"\?/,
      ),
    ],
    [
      { port: "7410", choices: { "webhook.retries": "some", "guard.jwt.algorithm": "HS265" } },
      'port is "7410": expected a whole number',
      expect.stringMatching(/^choices\.webhook\.retries cannot be "some"\. Allowed: /),
      expect.stringMatching(/^choices\.guard\.jwt\.algorithm cannot be "HS265"\. Did you mean "HS256"\? Allowed: /),
    ],
    [{ app: { url: 3000 } }, "app.url is 3000: expected a string"],
    [
      { apps: [{ url: "localhost:3000" }] },
      'apps[0].url is "localhost:3000": expected an http:// or https:// URL without user name, password, query and fragment. Did you mean "http://localhost:3000"?',
    ],
    ...[":3000", "http//127.0.0.1:3000", "http:127.0.0.1:3000"].map((url): [unknown, string] => [
      { app: { url } },
      `app.url is "${url}": expected an http:// or https:// URL without user name, password, query and fragment. Did you mean "http://127.0.0.1:3000"?`,
    ]),
    [
      { login: { user: "maria.manager" } },
      expect.stringMatching(/^login\.user is "maria\.manager": allowed: .*Did you mean "manager"\?$/),
    ],
    [
      { app: { url: "3000" } },
      'app.url is "3000": expected an http:// or https:// URL without user name, password, query and fragment. Did you mean "http://127.0.0.1:3000"?',
    ],
    [
      {
        app: {
          redirectUris: ["localhost:3000/cb", "/cb", "cb", "app.example/cb", "http://a.example/#x", "com.app:/cb"],
        },
      },
      'app.redirectUris[0] is "localhost:3000/cb": expected a full address without a fragment. Did you mean "http://localhost:3000/cb"?',
      'app.redirectUris[1] is "/cb": expected a full address without a fragment. Write the app\'s own address before the path, such as http://127.0.0.1:3000/cb',
      'app.redirectUris[2] is "cb": expected a full address without a fragment. Write the app\'s own address before the path, such as http://127.0.0.1:3000/cb',
      'app.redirectUris[3] is "app.example/cb": expected a full address without a fragment. Did you mean "https://app.example/cb"?',
      'app.redirectUris[4] is "http://a.example/#x": expected a full address without a fragment.',
    ],
    [{ apps: [] }, "apps is []: expected at least 1 element"],
    [{ apps: { url: "x" } }, 'apps is {"url":"x"}: expected an array'],
    [
      { app: { clientSecret: "" } },
      'app.clientSecret is "": expected at least 8 characters, but it has 0: app-sim could not hide a shorter secret in its output',
    ],
    [
      { app: { appSecret: "seven77" } },
      "app.appSecret is (hidden): expected at least 8 characters, but it has 7: app-sim could not hide a shorter secret in its output",
    ],
    [{ organization: { id: 1.5 } }, "organization.id is 1.5: expected a whole number"],
    [
      { organization: { domain: "Acme Inc" } },
      'organization.domain is "Acme Inc": expected a domain label such as acme',
    ],
    [
      { organization: { edition: "enterprize" } },
      'organization.edition is "enterprize": allowed: "enterprise", "standard". Did you mean "enterprise"?',
    ],
    [{ users: [{ id: 1, role: "owner" }] }, "users[0].login is missing: expected a string"],
    [
      { users: [{ id: 1, role: "boss", login: "b" }] },
      'users[0].role is "boss": allowed: "owner", "admin", "manager", "member", "outsider"',
    ],
    [
      { projects: [{ sourceLanguage: "ukr", targetLanguages: ["en_GB", 5] }] },
      'projects[0].sourceLanguage is "ukr": not a known language id. Did you mean "uk"?',
      'projects[0].targetLanguages[0] is "en_GB": not a known language id. Did you mean "en-GB"?',
      "projects[0].targetLanguages[1] is 5: expected a string",
    ],
    [{ login: { ipAddress: "localhost" } }, 'login.ipAddress is "localhost": expected an IPv4 or IPv6 address'],
    [{ port: "7410" }, 'port is "7410": expected a whole number'],
    [{ port: 65_536 }, "port is 65536: expected at most 65535"],
    [{ choices: [] }, "choices is []: expected an object"],
    [
      { port: -1, journal: 5, profile: 6 },
      "port is -1: expected at least 0",
      "journal is 5: expected a string",
      "profile is 6: expected a string",
    ],
  ])("in a config file are all reported: %j", async (config, ...lines) => {
    expect(await problemsIn(config)).toEqual(lines);
  });

  it.each<[env: Record<string, string>, flags: Settings, line: string]>([
    [{}, { port: "http" }, '--port is "http": expected a whole number'],
    [{ APP_SIM_PORT: "99999" }, {}, "APP_SIM_PORT is 99999: expected at most 65535"],
    [
      { APP_SIM_USER: "amdin" },
      {},
      'APP_SIM_USER is "amdin": allowed: "owner", "admin", "manager", "member", "outsider". Did you mean "admin"?',
    ],
    [{}, { organizationId: "0" }, "--organization-id is 0: expected more than 0"],
    [{}, { ip: "300.1.1.1" }, '--ip is "300.1.1.1": expected an IPv4 or IPv6 address'],
    [{}, { clientId: "" }, '--client-id is "": must not be empty'],
  ])("of variables and flags are reported with their origin: %j %j", async (env, flags, line) => {
    const error = await refusal(loadConfig(flags, env, await directory()));
    expect(linesOf(error)).toEqual([line]);
  });

  it("of variables and flags are all reported at once", async () => {
    const flags = { port: "x", app: "nowhere" };
    const error = await refusal(loadConfig(flags, { APP_SIM_EDITION: "free" }, await directory()));
    expect(error.problems.map(({ path: where }) => where)).toEqual(["--app", "APP_SIM_EDITION", "--port"]);
  });

  it("include an unknown variable", async () => {
    const error = await refusal(loadConfig({}, { APP_SIM_POTR: "1" }, await directory()));
    expect(error.message).toContain('APP_SIM_POTR is not one that app-sim reads. Did you mean "APP_SIM_PORT"?');
  });

  const config = { ...defaultConfig, choices: { "guard.jwt.claims": {}, "limits.size": "5MB" } };
  const names = ["app", "prot", "$schema", "__proto__", "constructor", ...Object.keys(config)];
  const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant("x".repeat(200)));
  const oneWrong = fc
    .tuple(fc.constantFrom(...names), anyValue)
    .map(([name, value]) => JSON.stringify({ ...config, [name]: value }));

  it("always end in a UsageError of single lines with a hint", async () => {
    const cwd = await withConfig("{}");
    const text = fc.oneof(oneWrong, fc.json(), fc.string());
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        await writeFile(path.join(cwd, "app-sim.config.json"), content);
        const error = await loadConfig({}, {}, cwd).then(
          () => null,
          (reason: unknown) => reason,
        );
        if (error === null) return;
        expect(error).toBeInstanceOf(UsageError);
        const { message, hint, problems } = error as UsageError;
        for (const line of [message, hint, ...problems.map((problem) => problem.message)])
          expect(line).toMatch(/^\S.*$/);
      }),
      { numRuns: 100 },
    );
  });
});
