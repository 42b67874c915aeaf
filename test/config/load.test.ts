import path from "node:path";
import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { environmentVariables, type Settings } from "../../src/config/environment.ts";
import { configure, loadConfig } from "../../src/config/load.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { linesOf, refusal, scratch } from "./scratch.ts";

const { directory, withConfig } = scratch();

const at = (value: unknown, where: string): unknown =>
  where.split(/[.[\]]+/).reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);

interface Row {
  readonly setting: keyof Settings;
  readonly variable: string;
  readonly flag: string;
  readonly where: string;
  readonly file: object;
  /** Their values in file, environment and flag. */
  readonly values: readonly [unknown, unknown, unknown];
}

const row = (
  setting: keyof Settings,
  flag: string,
  where: string,
  file: object,
  ...values: [unknown, unknown, unknown]
) => {
  const [variable = ""] = Object.entries(environmentVariables).find(([, name]) => name === setting) ?? [];
  return { setting, variable, flag, where, file, values } satisfies Row;
};

const rows: readonly Row[] = [
  row("app", "app", "apps[0].url", { app: { url: "http://f" } }, "http://f", "http://e", "http://g"),
  row(
    "manifest",
    "manifest",
    "apps[0].manifest",
    { app: { manifest: "http://f/m" } },
    "http://f/m",
    "http://e/m",
    "/g/m",
  ),
  row("appId", "app-id", "apps[0].appId", { app: { appId: "f" } }, "f", "e", "g"),
  row("clientId", "client-id", "apps[0].clientId", { app: { clientId: "f" } }, "f", "e", "g"),
  row(
    "clientSecret",
    "client-secret",
    "apps[0].clientSecret",
    { app: { clientSecret: "from-file" } },
    "from-file",
    "from-env",
    "from-flag",
  ),
  row(
    "appSecret",
    "app-secret",
    "apps[0].appSecret",
    { app: { appSecret: "from-file" } },
    "from-file",
    "from-env",
    "from-flag",
  ),
  row("organizationId", "organization-id", "organization.id", { organization: { id: 1 } }, 1, 2, 3),
  row("domain", "domain", "organization.domain", { organization: { domain: "f" } }, "f", "e", "g-1"),
  row(
    "edition",
    "edition",
    "organization.edition",
    { organization: { edition: "standard" } },
    "standard",
    "enterprise",
    "standard",
  ),
  row("user", "user", "login.user", { login: { user: "owner" } }, "owner", "admin", "outsider"),
  row("ip", "ip", "login.ipAddress", { login: { ipAddress: "10.0.0.1" } }, "10.0.0.1", "::1", "10.0.0.3"),
  row("mfa", "mfa", "login.mfa", { login: { mfa: true } }, true, false, true),
  row("deviceTrust", "device-trust", "login.deviceTrust", { login: { deviceTrust: true } }, true, false, true),
  row("rememberMe", "remember-me", "login.rememberMe", { login: { rememberMe: true } }, true, false, true),
  row(
    "interactionTimeout",
    "interaction-timeout",
    "login.interactionTimeout",
    { login: { interactionTimeout: 1 } },
    1,
    30,
    86_400,
  ),
  row("consent", "consent", "oauth.consent", { oauth: { consent: "deny" } }, "deny", "approve", "ask"),
  row(
    "redirectUri",
    "redirect-uri",
    "apps[0].redirectUris",
    { app: { redirectUris: ["http://f/cb"] } },
    ["http://f/cb"],
    ["http://e/cb?x=1;y=2", "http://e/cb"],
    ["http://g/cb"],
  ),
  row("as", "as", "postImport.user", { postImport: { user: "owner" } }, "owner", "milan.member", "admin"),
  row(
    "allowOrigin",
    "allow-origin",
    "apps[0].fileOrigins",
    { app: { fileOrigins: ["http://f"] } },
    ["http://f"],
    ["http://e:1", "https://e"],
    ["http://g"],
  ),
  row("port", "port", "port", { port: 0 }, 0, 8001, 65_535),
  row("tls", "tls", "tls", { tls: true }, true, false, true),
  row("publicUrl", "public-url", "publicUrl", { publicUrl: "http://f" }, "http://f", "https://e", "http://g:1"),
  row("journal", "journal", "journal", { journal: "/f" }, "/f", "/e", "/g"),
  row("profile", "profile", "profile", { profile: "key-pair" }, "key-pair", "base64-signature", "key-pair"),
];

it("accepts a time with a unit in a flag and a variable, and shows an invalid one", async () => {
  const timeout = async (...from: Parameters<typeof loadConfig>) => (await loadConfig(...from)).config.login;
  expect(await timeout({ interactionTimeout: "1m30s" }, {}, ".")).toMatchObject({ interactionTimeout: 90 });
  const env = { APP_SIM_INTERACTION_TIMEOUT: "2m" };
  expect(await timeout({}, env, ".")).toMatchObject({ interactionTimeout: 120 });
  await expect(timeout({}, { APP_SIM_INTERACTION_TIMEOUT: "soon" }, ".")).rejects.toMatchObject({
    problems: [{ path: "APP_SIM_INTERACTION_TIMEOUT", message: expect.stringContaining('"soon"') }],
  });
});

describe("a certificate of your own", () => {
  it("is named by two settings, each relative to where it is set, and replaces a generated one", async () => {
    using directory = makeTempDir();
    directory.write("team/app-sim.config.json", { tls: { cert: "cert.pem", key: "key.pem" } });
    const config = "team/app-sim.config.json";
    const [file, here] = [`${directory.path}/team`, directory.path];
    const tlsOf = async (flags: Settings, env = {}) => (await loadConfig(flags, env, here)).config.tls;
    expect(await tlsOf({ config })).toEqual({ cert: `${file}/cert.pem`, key: `${file}/key.pem` });
    expect(await tlsOf({ config, cert: "a" }, { APP_SIM_KEY: "b" })).toEqual({ cert: `${here}/a`, key: `${here}/b` });
    expect(await tlsOf({ tls: "true", cert: "a", key: "b" })).toEqual({ cert: `${here}/a`, key: `${here}/b` });
    expect(await tlsOf({ config, tls: "true" })).toBe(true);
  });

  it("S30: is not read from outside of the folder of a config file", async () => {
    using directory = makeTempDir();
    using other = makeTempDir();
    other.write("key.pem", "");
    directory.write("app-sim.config.json", { tls: { cert: "cert.pem", key: `${other.path}/key.pem` } });
    await expect(loadConfig({}, {}, directory.path)).rejects.toMatchObject({ code: "file-outside" });
  });
});

describe("precedence", () => {
  it("is tested for every setting of the configuration", () => {
    const settings = Object.values(environmentVariables).filter(
      (name) => !["config", "choose", "allowPath", "cert", "key"].includes(name),
    );
    expect(rows.map(({ setting }) => setting).sort()).toEqual(settings.sort());
  });

  it.each(rows)("$where: a flag beats $variable, which beats the file, which beats the default", async (each) => {
    const [inFile, inEnv, inFlag] = each.values;
    const [plain, cwd] = [await directory(), await withConfig(each.file)];
    const env = { [each.variable]: Array.isArray(inEnv) ? inEnv.join(" ") : String(inEnv) };
    const flags = { [each.setting]: Array.isArray(inFlag) ? inFlag : String(inFlag) };
    const seen = async (loading: ReturnType<typeof loadConfig>) => {
      const { config, origins } = await loading;
      return [at(config, each.where), origins.get(each.where)];
    };
    const ofDefault = each.where === "journal" ? path.join(plain, ".app-sim") : at(defaultConfig, each.where);
    const defaultOrigin = ["manifest", "appId"].includes(each.setting) ? undefined : "default";
    expect(await seen(loadConfig({}, {}, plain))).toEqual([ofDefault, defaultOrigin]);
    expect(await seen(loadConfig({}, {}, cwd))).toEqual([inFile, "file app-sim.config.json"]);
    expect(await seen(loadConfig({}, env, cwd))).toEqual([inEnv, `env ${each.variable}`]);
    expect(await seen(loadConfig(flags, env, cwd))).toEqual([inFlag, `flag --${each.flag}`]);
  });

  it("S30: --allow-path beats APP_SIM_ALLOW_PATH, and no config file can give it", async () => {
    const env = { APP_SIM_ALLOW_PATH: ["/e", "/f"].join(path.delimiter) };
    expect((await loadConfig({}, env, await directory())).config.allowPaths).toEqual(["/e", "/f"]);
    expect((await loadConfig({ allowPath: ["/g"] }, env, await directory())).config.allowPaths).toEqual(["/g"]);
    const error = await refusal(loadConfig({}, {}, await withConfig({ allowPaths: ["/"] })));
    expect([error.code, error.hint]).toEqual(["config-invalid", expect.stringContaining("--allow-path")]);
  });

  it("takes an empty variable as not set, with a warning", async () => {
    const names = Object.keys(environmentVariables);
    const env = Object.fromEntries(names.map((name) => [name, ""]));
    const cwd = await directory();
    const { unreadSettings, ...loaded } = await loadConfig({}, env, cwd);
    expect({ ...loaded, unreadSettings: [] }).toEqual(await loadConfig({}, {}, cwd));
    expect(unreadSettings).toHaveLength(names.length);
  });

  it("is missing only for what is not set", async () => {
    const { config, choices, origins } = await loadConfig({}, {}, await directory());
    const leaves = (value: unknown): number =>
      Array.isArray(value) && typeof value[0] !== "object"
        ? 1
        : Object.values(value as object).reduce(
            (sum, each) => sum + (typeof each === "object" && each !== null ? leaves(each) : 1),
            0,
          );
    const { choices: _, ...rest } = config;
    expect(choices).toEqual(defaultChoices);
    expect(origins.size).toBe(leaves(rest) + Object.keys(choices).length);
    expect(new Set(origins.values())).toEqual(new Set(["default"]));
  });
});

describe("apps", () => {
  const [standard] = defaultConfig.apps;

  it("can be one, in the short form", async () => {
    const { config, origins } = await loadConfig({}, {}, await withConfig({ app: { url: "https://one.example" } }));
    expect(config.apps).toEqual([{ ...standard, url: "https://one.example" }]);
    expect([origins.get("apps[0].url"), origins.get("apps[0].appSecret")]).toEqual([
      "file app-sim.config.json",
      "default",
    ]);
  });

  it("can be several, each completed from the default app", async () => {
    const apps = [{ url: "http://a" }, { url: "http://b", appSecret: "b-secret" }, {}];
    const { config } = await loadConfig({}, {}, await withConfig({ apps }));
    expect(config.apps).toEqual([
      { ...standard, url: "http://a" },
      { ...standard, url: "http://b", appSecret: "b-secret" },
      standard,
    ]);
  });

  it("cannot be given in both forms", async () => {
    const error = await refusal(loadConfig({}, {}, await withConfig({ app: {}, apps: [{}] })));
    expect(error.message).toBe("app-sim.config.json has both app and apps");
    expect(error.hint).toContain("keep one");
  });

  it.each<[string, Settings, Record<string, string>]>([
    ["flag --client-id", { clientId: "x" }, {}],
    ["env APP_SIM_APP", {}, { APP_SIM_APP: "http://x" }],
  ])("cannot be several if %s is about one", async (origin, flags, env) => {
    const error = await refusal(loadConfig(flags, env, await withConfig({ apps: [{ url: "http://a" }, {}] })));
    expect(error.code).toBe("several-apps");
    expect(error.message).toBe(`${origin} is for one app, but the config file installs 2: http://a, (default url)`);
  });

  it("accepts a flag for one app if the file has one", async () => {
    const cwd = await withConfig({ apps: [{ url: "http://a", clientId: "a" }] });
    const { config } = await loadConfig({ app: "http://b" }, {}, cwd);
    expect(config.apps).toEqual([{ ...standard, url: "http://b", clientId: "a" }]);
  });
});

describe("who may use the post-import modules", () => {
  const access = "apps[0].postImportAccess";

  it.each<[what: string, file: object, env: Record<string, string>, flags: Settings, line: string]>([
    [
      "a category of the other edition",
      { app: { postImportAccess: "project-owner" } },
      {},
      {},
      `${access} is "project-owner": not a category of the enterprise edition, which has organization-admins, organization-users, selected-users (from file app-sim.config.json)`,
    ],
    [
      "an edition by flag that does not have the category of the file",
      { app: { postImportAccess: "organization-users" } },
      {},
      { edition: "standard" },
      `${access} is "organization-users": not a category of the standard edition, which has project-owner, project-members, selected-users (from file app-sim.config.json)`,
    ],
    [
      "an edition by variable that does not have the category of the file",
      { apps: [{}, { postImportAccess: "organization-admins" }] },
      { APP_SIM_EDITION: "standard" },
      {},
      'apps[1].postImportAccess is "organization-admins": not a category of the standard edition, which has project-owner, project-members, selected-users (from file app-sim.config.json)',
    ],
    [
      "a selected user whom nobody knows",
      { app: { postImportAccess: "selected-users", postImportUsers: ["adam.admin", "maria.manger"] } },
      {},
      {},
      'apps[0].postImportUsers[1] is "maria.manger": no user has this login name. Did you mean "maria.manager"? There are olena.owner, adam.admin, maria.manager, milan.member, otto.outsider (from file app-sim.config.json)',
    ],
  ])("cannot be %s", async (_, file, env, flags, line) => {
    expect(linesOf(await refusal(loadConfig(flags, env, await withConfig(file))))).toEqual([line]);
  });

  it.each<[Settings, string]>([
    [{ edition: "standard" }, "project-owner"],
    [{ edition: "standard" }, "selected-users"],
    [{}, "organization-admins"],
    [{ edition: "enterprise" }, "selected-users"],
  ])("can be those of the edition of %j: %s", async (flags, postImportAccess) => {
    const { config } = await loadConfig(flags, {}, await withConfig({ app: { postImportAccess } }));
    expect(config.apps[0]?.postImportAccess).toBe(postImportAccess);
  });
});

describe("file names", () => {
  const file = { app: { manifest: "m/app.json" }, journal: "logs", verify: { fixtures: ["jobs/a.json"] } };

  it("in a config file start at that file", async () => {
    const top = await directory({ "conf/app-sim.config.json": file, "conf/below/x": "", "other/x": "" });
    const expected = {
      manifest: path.join(top, "conf/m/app.json"),
      journal: path.join(top, "conf/logs"),
      fixtures: [path.join(top, "conf/jobs/a.json")],
    };
    const seen = async (flags: Settings, cwd: string) => {
      const { config } = await loadConfig(flags, {}, path.join(top, cwd));
      return { manifest: config.apps[0]?.manifest, journal: config.journal, fixtures: config.verify.fixtures };
    };
    expect(await seen({}, "conf/below")).toEqual(expected);
    expect(await seen({ config: "../conf/app-sim.config.json" }, "other")).toEqual(expected);
  });

  it("in flags and variables start where the command runs", async () => {
    const top = await directory({ "app-sim.config.json": file, "below/x": "" });
    const cwd = path.join(top, "below");
    const byFlag = await loadConfig({ manifest: "a.json", journal: "j" }, {}, cwd);
    const byVariable = await loadConfig({}, { APP_SIM_MANIFEST: "a.json", APP_SIM_JOURNAL: "j" }, cwd);
    for (const { config } of [byFlag, byVariable]) {
      expect([config.apps[0]?.manifest, config.journal]).toEqual([path.join(cwd, "a.json"), path.join(cwd, "j")]);
    }
  });

  it("that are not set start where the command runs, even if a config file is above", async () => {
    const top = await directory({ "app-sim.config.json": {}, "below/x": "" });
    const { config } = await loadConfig({}, {}, path.join(top, "below"));
    expect([config.apps[0]?.manifest, config.journal]).toEqual([undefined, path.join(top, "below", ".app-sim")]);
  });

  it("stay unchanged if they are absolute or URLs", async () => {
    const apps = [{ manifest: "https://app.example/manifest.json?v=1" }, { manifest: path.resolve("/m.json") }];
    const { config } = await loadConfig({}, {}, await withConfig({ apps, journal: path.resolve("/j") }));
    expect(config.apps.map(({ manifest }) => manifest)).toEqual(apps.map(({ manifest }) => manifest));
    expect(config.journal).toBe(path.resolve("/j"));
  });

  it.each<[Settings, string]>([
    [{ manifest: "" }, '--manifest is "": must not be empty'],
    [{ journal: "" }, '--journal is "": must not be empty'],
    [
      { manifest: "ftp://app/m" },
      '--manifest is "ftp://app/m": expected a file, or an http:// or https:// URL without user name and password',
    ],
  ])("are refused if they are not paths: %j", async (flags, line) => {
    const error = await refusal(loadConfig(flags, {}, await directory()));
    expect(linesOf(error)).toEqual([line]);
    expect(error.message).toContain("the command line is not valid");
    expect(error.hint).toBe("the command's --help explains each flag");
  });
});

describe("choices", () => {
  const id = "guard.jwt.lifetime";
  const profiles = {
    "in-file.json": { name: "in-file", choices: { [id]: 1, "limits.size": "5MB" } },
    "in-env.json": { name: "in-env", choices: { [id]: 2 } },
    "in-flag.json": { name: "in-flag", choices: { [id]: 3 } },
  };
  const file = { profile: "./in-file.json", choices: { [id]: 10 } };

  /** Each case lays one more place over the one before. */
  it.each<[origin: string, value: number, config: object, env: Record<string, string>, flags: Settings]>([
    ["default", 900, {}, {}, {}],
    ["profile ./in-file.json", 1, { profile: "./in-file.json" }, {}, {}],
    ["file app-sim.config.json", 10, file, {}, {}],
    ["profile ./in-env.json", 2, file, { APP_SIM_PROFILE: "./in-env.json" }, {}],
    ["env APP_SIM_CHOOSE", 20, file, { APP_SIM_PROFILE: "./in-env.json", APP_SIM_CHOOSE: `${id}=20` }, {}],
    ["profile ./in-flag.json", 3, file, { APP_SIM_CHOOSE: `${id}=20` }, { profile: "./in-flag.json" }],
    ["flag --choose", 30, file, { APP_SIM_CHOOSE: `${id}=20` }, { profile: "./in-flag.json", choose: [`${id}=30`] }],
    ["flag --choose", 32, {}, {}, { choose: [`${id}=31`, `${id}=32`] }],
  ])("come from %s: %s", async (origin, value, config, env, flags) => {
    const cwd = await directory({ ...profiles, "app-sim.config.json": config });
    const { choices, origins } = await loadConfig(flags, env, cwd);
    expect([choices[id], origins.get(`choices.${id}`)]).toEqual([value, origin]);
  });

  it("of a profile are taken as a whole, from the strongest place that names one", async () => {
    const cwd = await directory({ ...profiles, "app-sim.config.json": file });
    const sizeWith = async (flags: Settings, env: Record<string, string>) =>
      (await loadConfig(flags, env, cwd)).choices["limits.size"];
    expect(await sizeWith({}, {})).toBe("5MB");
    expect(await sizeWith({ profile: "./in-flag.json" }, {})).toBe("5MiB");
    expect(await sizeWith({}, { APP_SIM_PROFILE: "./in-env.json" })).toBe("5MiB");
  });

  it("of a profile start at the config file that names it", async () => {
    const top = await directory({ "app-sim.config.json": file, ...profiles, "below/in-file.json": "{}" });
    expect((await loadConfig({}, {}, path.join(top, "below"))).choices["limits.size"]).toBe("5MB");
  });

  it("read a shipped profile by its name", async () => {
    const { choices } = await loadConfig({ profile: "base64-signature" }, {}, await directory());
    expect(choices["webhook.signature.encoding"]).toBe("base64");
  });

  it.each<[object, Record<string, string>, Settings, RegExp]>([
    [{ choices: { "limits.size": "5" } }, {}, {}, /^file app-sim\.config\.json: limits\.size cannot be "5"\./],
    [{}, { APP_SIM_CHOOSE: "limits.size=5" }, {}, /^env APP_SIM_CHOOSE: limits\.size cannot be 5\./],
    [
      {},
      {},
      { choose: ["limits.sise=5MB"] },
      /^flag --choose: there is no choice "limits\.sise"\. Did you mean "limits\.size"\?$/,
    ],
    [
      { profile: "key-pear" },
      {},
      {},
      /^file app-sim\.config\.json: there is no profile "key-pear"\. Did you mean "key-pair"\?$/,
    ],
    [
      {},
      { APP_SIM_PROFILE: "./no.json" },
      {},
      /^env APP_SIM_PROFILE: profile .*no\.json cannot be read: there is no such file$/,
    ],
  ])("that are wrong name the place (%#)", async (config, env, flags, message) => {
    const error = await refusal(loadConfig(flags, env, await withConfig(config)));
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
  });
});

describe("configure", () => {
  it("lays the input of the library over the defaults", async () => {
    const input = {
      app: { url: "http://a", manifest: "m.json" },
      profile: "key-pair",
      choices: { "limits.size": "5MB" },
    } as const;
    const { config, choices } = await configure(input, path.resolve("/base"));
    expect(config.apps).toEqual([
      { ...defaultConfig.apps[0], url: "http://a", manifest: path.resolve("/base/m.json") },
    ]);
    expect([choices["guard.jwt.algorithm"], choices["limits.size"]]).toEqual(["ES256", "5MB"]);
  });

  it.each<[object, RegExp]>([
    [{ port: -1 }, /^the argument of startSimulator\(\) is not a valid configuration$/],
    [{ profile: "key-pear" }, /^the options: there is no profile "key-pear"/],
    [{ choices: { "limits.size": "6" } }, /^the options: limits\.size cannot be "6"/],
  ])("refuses %j", async (input, summary) => {
    expect((await refusal(configure(input, path.resolve("/base")))).summary).toMatch(summary);
  });
});
