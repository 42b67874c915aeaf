import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import type { InstallNames } from "../../src/config/installation-names.ts";
import { parseChoice } from "../../src/config/parse-choice.ts";
import type { App, User } from "../../src/config/schema.ts";
import {
  agentIdOf,
  type InstallationProof,
  installationEvent,
  installationGrants,
  judgeInstallation,
  readInstallation,
} from "../../src/oauth/rules/installation.ts";

const { organization, users } = defaultConfig;
const app = { ...(defaultConfig.apps[0] as App), appId: "app-sim-app" };
const [owner] = users as [User];

describe("an installation event", () => {
  const bodyWith = (names: InstallNames) =>
    installationEvent({ app, organization, user: owner, baseUrl: "http://127.0.0.1:7410", granted: {} }, names);

  it("has what the app must know about its installation, with numbers as numbers", () => {
    expect(bodyWith({})).toEqual({
      appId: "app-sim-app",
      appSecret: "app-sim-app-secret",
      clientId: "app-sim-client",
      userId: 101,
      organizationId: 200_000_001,
      domain: "acme",
      baseUrl: "http://127.0.0.1:7410",
    });
  });

  it.each([
    [{ appSecret: "shared_key" }, "shared_key", "app-sim-app-secret"],
    [{ organizationId: "org" }, "org", 200_000_001],
    [{ domain: "tenant" }, "tenant", "acme"],
    [{ baseUrl: "__proto__" }, "__proto__", "http://127.0.0.1:7410"],
  ] satisfies [InstallNames, string, unknown][])(
    "has other names by the choice install.names: %j",
    (names, name, value) => {
      const body = bodyWith(names);
      expect(Object.keys(body)).toHaveLength(7);
      expect(Object.getOwnPropertyDescriptor(body, name)?.value).toBe(value);
      for (const usual of Object.keys(names)) expect(Object.keys(body)).not.toContain(usual);
    },
  );

  it("keeps its names if only those of the grant differ", () => {
    expect(bodyWith({ app_id: "x", app_secret: "y", user_id: "z" })).toEqual(bodyWith({}));
  });
});

describe("the installation grant", () => {
  const proof: InstallationProof = {
    appId: "app-sim-app",
    appSecret: "app-sim-app-secret",
    domain: "acme",
    userId: "104",
    agentId: null,
    code: null,
  };
  const judged = (changes: Partial<InstallationProof>, isInstalled = true) =>
    judgeInstallation(
      { ...proof, ...changes },
      { ...app, isInstalled, agentId: null, isCode: null },
      organization,
      users,
    );

  it("has the names that the choices give it, and is off by default", () => {
    expect(installationGrants(defaultChoices)).toEqual({ installation: null, agent: null, "call-code": null });
    const named = {
      "oauth.grant.installation": "acme_app",
      "oauth.grant.agent": "acme_agent",
      "oauth.grant.callCode": "acme_code",
    };
    expect(installationGrants(named)).toEqual({
      installation: "acme_app",
      agent: "acme_agent",
      "call-code": "acme_code",
    });
  });

  it.each([
    ["900000001", null],
    [null, "agent_id is missing: the installation event has 900000001 as agentId"],
    ["900000002", "there is no agent 900000002: the installation event has 900000001 as agentId"],
  ])("for an app that acts as an agent names the agent: %s", (agentId, refused) => {
    const agent = { ...app, isInstalled: true, agentId: agentIdOf(app, [app]), isCode: null };
    const verdict = judgeInstallation({ ...proof, agentId }, agent, organization, users);
    expect(verdict.ok ? null : verdict.refusal.description).toBe(refused);
  });

  it("for an organization without a domain names none", () => {
    const judgedThere = (domain: string | null) =>
      judgeInstallation(
        { ...proof, domain },
        { ...app, isInstalled: true, agentId: null, isCode: null },
        { ...organization, domain: null },
        users,
      );
    expect(judgedThere(null).ok).toBe(true);
    expect(judgedThere("acme")).toMatchObject({ refusal: { error: "invalid_grant" } });
  });

  it.each([
    [{}, ["app_id", "app_secret", "domain", "user_id"]],
    [{ app_id: "a", app_secret: "s", domain: "d", user_id: "u" }, ["a", "s", "d", "u"]],
    [{ appId: "a", appSecret: "s", userId: "u" }, ["app_id", "app_secret", "domain", "user_id"]],
  ] satisfies [InstallNames, string[]][])(
    "is read by its names: %j",
    (names, [id = "", secret = "", domain = "", user = ""]) => {
      const sent = new Map([
        [id, ["app"]],
        [secret, ["hush"]],
        [domain, ["acme"]],
        [user, ["7"]],
      ]);
      expect(readInstallation(sent, names)).toMatchObject({
        appId: "app",
        appSecret: "hush",
        domain: "acme",
        userId: "7",
      });
      expect(Object.values(readInstallation(new Map(), names))).toEqual(Array(6).fill(null));
    },
  );

  it("acts for the named user", () => {
    expect(judged({})).toEqual({ ok: true, value: users.find(({ id }) => id === 104) });
  });

  it.each([
    [{ appId: null }, "invalid_request", "the app's id"],
    [{ appSecret: null }, "invalid_request", "secret"],
    [{ domain: null }, "invalid_request", "the domain"],
    [{ userId: null }, "invalid_request", "the user's id"],
    [{ appId: "another" }, "invalid_grant", "the app's id is another, but its installation has app-sim-app"],
    [{ appSecret: "another" }, "invalid_grant", "the app's id is right, but its secret is not"],
    [{ appSecret: "" }, "invalid_grant", "the app's id is right, but its secret is not"],
    [{ domain: "other" }, "invalid_grant", "not installed in this organization"],
    [{ userId: "999" }, "invalid_grant", "no such user"],
    [{ userId: "0104" }, "invalid_grant", "no such user"],
  ] satisfies [Partial<InstallationProof>, string, string][])("is refused with %j", (changes, error, says) => {
    expect(judged(changes)).toMatchObject({
      ok: false,
      refusal: { error, description: expect.stringContaining(says) },
    });
  });

  it("is refused to an app that is not installed, without revealing a user", () => {
    for (const changes of [{}, { userId: "999" }]) {
      expect(judged(changes, false)).toMatchObject({
        ok: false,
        refusal: { error: "invalid_grant", description: "the app is not installed in this organization" },
      });
    }
  });
});

it.each([{ appId: "clientId" }, { appId: "id", userId: "id" }, { app_id: "app_secret" }])(
  "two members cannot share a name: %j",
  (names) => {
    expect(() => parseChoice("install.names", names, "here")).toThrow("install.names");
    expect(parseChoice("install.names", { appId: "app_id", clientId: "client" }, "here")).toBeTruthy();
  },
);
