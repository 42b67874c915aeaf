import { describe, expect, it } from "vitest";
import { choiceIds } from "../../src/config/choices.ts";
import { configFileSchema } from "../../src/config/config-file-schema.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { configKeysAt, placesOfName } from "../../src/config/setting-names.ts";

describe("configKeysAt", () => {
  it.each([
    ["", Object.keys(configFileSchema().shape)],
    ["app", [...Object.keys(defaultConfig.apps[0] ?? {}), "appId", "manifest", "name", "postImportAccess"]],
    ["apps[3]", [...Object.keys(defaultConfig.apps[0] ?? {}), "appId", "manifest", "name", "postImportAccess"]],
    ["organization", Object.keys(defaultConfig.organization)],
    ["users[0]", Object.keys(defaultConfig.users[0] ?? {})],
    ["projects[12]", [...Object.keys(defaultConfig.projects[0] ?? {}), "members"]],
    ["login", Object.keys(defaultConfig.login)],
    ["oauth", Object.keys(defaultConfig.oauth)],
    ["postImport", Object.keys(defaultConfig.postImport)],
    ["verify", Object.keys(defaultConfig.verify)],
    ["verify.guards.network", ["lets", "denies", "pass", "fail"]],
    ["verify.guards.network.lets", ["user", "ip"]],
    ["tls", ["cert", "key"]],
    ["choices", choiceIds],
    ["port", []],
    ["constructor", []],
  ])("knows the names in %j", (path, names) => {
    expect([...configKeysAt(path)].sort()).toEqual([...names].sort());
  });
});

describe("placesOfName", () => {
  it.each([
    ["", "url", ['{"app": {"url": …}}']],
    ["oauth", "start", ['{"verify": {"oauth": {"start": …}}}']],
    ["verify", "start", ['{"verify": {"oauth": {"start": …}}}']],
    ["app", "port", ['{"port": …}']],
    ["apps[1]", "port", ['{"port": …}']],
    ["oauth", "redirect_uris", ['{"app": {"redirectUris": …}}']],
    ["", "guard.jwt.algorithm", ['{"choices": {"guard.jwt.algorithm": …}}']],
    ["", "totpSecret", ['{"users": [{"totpSecret": …}]}']],
    ["", "scopes", ['{"app": {"scopes": …}}', '{"oauth": {"scopes": …}}']],
    ["verify.guards", "lets", ['{"verify": {"guards": {"KEY": {"lets": …}}}}']],
    // As the flag of a command is called.
    ["", "ip", ['{"login": {"ipAddress": …}}']],
    ["", "mfa", ['{"login": {"mfa": …}}']],
    ...["app.url", "appUrl", "APP_URL"].map((name): [string, string, string[]] => ["", name, ['{"app": {"url": …}}']]),
    ["", "appSecret", ['{"app": {"appSecret": …}}']],
    ["app", "redirectUri", []],
    ["app", "url", []],
    ["users[0]", "Login", ['{"login": …}']],
    ["", "nonsense", []],
  ])("in %j: %s", (path, name, places) => {
    expect(placesOfName(path, name)).toEqual(places);
  });

  it("names the nearest first: for a guard, what belongs to a guard", () => {
    expect(placesOfName("verify.guards.network", "ip")).toEqual([
      '{"verify": {"guards": {"KEY": {"lets": {"ip": …}}}}}',
      '{"verify": {"guards": {"KEY": {"denies": {"ip": …}}}}}',
    ]);
  });

  it("recognizes a guard's key by its members", () => {
    const place = ['{"verify": {"guards": {"network": …}}}'];
    expect(placesOfName("verify", "network", { lets: { user: "owner" } })).toEqual(place);
    expect(placesOfName("", "network", { pass: {} })).toEqual(place);
    expect(placesOfName("verify", "network", { nothing: 1 })).toEqual([]);
  });
});
