import { beforeAll, describe, expect, it } from "vitest";
import type { ChoiceDefinition } from "../../src/config/choice-definition.ts";
import { type ChoiceId, choiceDefinitions, choiceIds } from "../../src/config/choices.ts";
import { startSimulator } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type OAuthAppWays, startOAuthApp } from "../oauth-login/oauth-app.ts";
import { type CallHandler, guardEntry, importEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { always, assemble, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// `usedBy` is what `app-sim choices` and the README say; the `choices` of a result are what it relied on.

type Command = ChoiceDefinition["usedBy"][number];
type Made = { readonly command: Command | "demo" | "uninstall" | "replay"; readonly choices: readonly ChoiceId[] };

interface Scenario {
  readonly what: string;
  readonly run: (sim: Simulator) => Promise<Made>;
  readonly answer?: CallHandler;
  readonly choices?: Record<string, unknown>;
}

const serves = {
  events: { installed: "/installed" },
  ...manifestOf({
    guards: [
      guardEntry("office"),
      guardEntry("page", { type: "redirect", url: "/page", applyToAdmins: true }),
      { ...guardEntry("frame", { type: "frame", url: "/frame" }), description: "Look into the camera." },
    ],
    imports: [importEntry("tidy", { fileName: "\\.json$", fileContent: "title" })],
    webhooks: [webhookEntry("events", ["project.approved", "file.added"])],
  }),
};
const string = record("1", "Save", { translations: { uk: { text: "Зберегти", status: "translated" } } });
const job = jobWith([string, record("2", "Open")]);
const imported = { name: "job", job };
const approved = { ...string, translations: { uk: { text: "Зберегти", status: "approved" } } };
const passes = always({ success: true, data: { strings: [string] } });

const imports = (sim: Simulator) => sim.postImport(imported);
const scenarios: readonly Scenario[] = [
  { what: "a login that is granted", run: (sim) => sim.guard(), answer: passes },
  { what: "a login of the owner", run: (sim) => sim.guard({ user: "owner" }) },
  { what: "a login of an admin", run: (sim) => sim.guard({ user: "admin" }), answer: passes },
  {
    what: "a login denied with another status",
    run: (sim) => sim.guard(),
    answer: (call) => call.reply({ success: false }, { status: 403 }),
  },
  { what: "a login with a second factor", run: (sim) => sim.guard({ mfa: true }) },
  { what: "a login at which a stage is failed once", run: (sim) => sim.guard({ fail: { password: 1 } }) },
  {
    what: "a login with a page",
    run: (sim) => sim.guard({ modules: ["page"], page: { code: "c0de" } }),
    answer: (call) => call.reply({ success: call.body.includes("c0de") }),
  },
  { what: "a login that needs a user", run: (sim) => sim.guard(), answer: always({ success: false }) },
  {
    what: "a login with a key pair",
    run: (sim) => sim.guard(),
    answer: passes,
    choices: { "guard.jwt.algorithm": "ES256" },
  },
  { what: "a manifest", run: (sim) => sim.manifest() },
  {
    what: "a manifest with a word of its own",
    run: (sim) => sim.manifest(),
    choices: { "manifest.names": { applyToAdmins: "applyToAdmins" } },
  },
  {
    what: "a login with guards that are declared in other words",
    run: (sim) => sim.guard(),
    answer: passes,
    choices: { "manifest.names": { frame: "frame" } },
  },
  { what: "an installation", run: (sim) => sim.install(), answer: always({}), choices: { "install.event": "on" } },
  { what: "an import", run: imports, answer: passes },
  { what: "an import that is not modified", run: imports, answer: (call) => call.send("", { status: 304 }) },
  {
    what: "an import with another status and type",
    run: imports,
    answer: always({ data: { strings: [{ ...approved, attributes: { platformType: "html" } }] } }),
  },
  {
    what: "an import that is too large",
    run: (sim) =>
      sim.postImport({ name: "job", job: jobWith([record("1", "a".repeat(5_300_000))]) }, { via: "inline" }),
  },
  {
    what: "an import that is answered by URL",
    run: imports,
    answer: (call) =>
      call.method === "GET"
        ? call.send(JSON.stringify(string))
        : call.reply({ data: { stringsUrl: `http://${call.header("host")}/strings` } }),
  },
  {
    what: "an update of a source file",
    run: (sim) => sim.postImport(imported, { occasion: "source-update" }),
    answer: (call) => call.send("", { status: 304 }),
  },
  { what: "an import without a token", run: imports, answer: passes, choices: { "postImport.auth": "none" } },
  {
    what: "an import of a short fixture",
    answer: passes,
    run: async (sim) => {
      using directory = makeTempDir();
      const file = { name: "site.json", content: Buffer.from("title").toString("base64") };
      return await sim.postImport(directory.write("fixture.json", { file, strings: [] }));
    },
  },
  { what: "a delivery", run: (sim) => sim.webhook("project.approved"), answer: passes },
  { what: "a delivery of an event that is not shown", run: (sim) => sim.webhook("file.added"), answer: passes },
  { what: "a delivery that nobody gets", run: (sim) => sim.webhook("project.translated") },
  {
    what: "a delivery with a timestamp",
    run: (sim) => sim.webhook("project.approved"),
    answer: (call) => call.send("", { status: 500 }),
    choices: { "webhook.signature.content": "timestamp.body" },
  },
  {
    what: "a delivery that is compressed",
    run: (sim) => sim.webhook("project.approved", { gzip: true }),
    answer: passes,
  },
  {
    what: "a delivery that may be tried again",
    run: (sim) => sim.webhook("project.approved"),
    answer: passes,
    choices: { "webhook.retries": 1 },
  },
  { what: "a load", run: (sim) => sim.load("project.approved", { count: 2 }), answer: passes },
  { what: "a load of an event that is not shown", run: (sim) => sim.load("file.added", { count: 2 }), answer: passes },
];

/** Logins of an app by OAuth, for which the platform has to listen. */
const oauthLogins: readonly (Pick<Scenario, "what" | "choices"> & { readonly ways: OAuthAppWays })[] = [
  { what: "one that is good", ways: {} },
  { what: "one with another kind of PKCE", ways: { pkce: "plain" } },
  { what: "an exchange that leaves redirect_uri out", ways: { exchange: "no-redirect-uri" } },
  { what: "an exchange that is sent twice", ways: { exchange: "twice" } },
  { what: "an exchange that is refused", ways: { exchange: "wrong-secret" } },
  {
    what: "an exchange without the type of the sample",
    ways: { exchange: "form" },
    choices: { "oauth.token.contentTypes": "json" },
  },
  {
    what: "a refresh without a secret",
    ways: { refresh: "no-secret" },
    choices: { "oauth.refresh.secret": "optional-with-pkce" },
  },
  { what: "an API that takes one call at a time", ways: {}, choices: { "api.rateLimit": 1 } },
  { what: "an API with one message for every 401", ways: {}, choices: { "api.unauthorized": "Unauthorized" } },
];

async function loggedIn({ ways, choices = {} }: (typeof oauthLogins)[number]): Promise<Made> {
  await using app = await startOAuthApp(ways);
  await using sim = await startSimulator({ app: { url: app.url, redirectUris: [app.callbackUrl] }, choices });
  app.platform = sim.url;
  return await sim.oauthLogin({ start: "/login" });
}

async function made({ run, answer, choices = {} }: Scenario): Promise<Made> {
  await using app = await startFakeApp({ manifest: serves });
  if (answer !== undefined) app.answer(answer);
  return await run(await assemble({ app: { url: app.url }, choices }));
}

describe("the choices of an OAuth login", () => {
  const always = ["oauth.redirect.iss"];
  const issuing = ["oauth.code.lifetime", "oauth.accessToken.lifetime", "oauth.refresh.lifetime"];
  const good = [...always, ...issuing, "oauth.token.contentTypes", "api.projects.scope"];

  it.each<[what: string, ways: OAuthAppWays, choices: Record<string, unknown>, names: string[], notNames: string[]]>([
    ["a good one", {}, {}, [...good, "api.rateLimit"], ["oauth.pkce.plain"]],
    [
      "no redirect_uri in the exchange",
      { exchange: "no-redirect-uri" },
      {},
      ["oauth.exchange.redirectUri"],
      issuing.slice(1),
    ],
    ["plain", { pkce: "plain" }, {}, ["oauth.pkce.plain"], []],
    ["plain that is refused", { pkce: "plain" }, { "oauth.pkce.plain": "refused" }, always, ["oauth.code.lifetime"]],
    ["a refresh without a secret", { refresh: "no-secret" }, {}, ["oauth.refresh.secret"], []],
    ["an exchange that is refused", { exchange: "text" }, {}, ["oauth.token.contentTypes"], issuing.slice(1)],
  ])("%s", async (what, ways, choices, names, notNames) => {
    const { choices: used } = await loggedIn({ what, ways, choices });
    expect(used).toEqual(expect.arrayContaining(names));
    expect(used.filter((id) => notNames.includes(id))).toEqual([]);
  });
});

describe("usedBy of a choice", () => {
  const results: Made[] = [];
  beforeAll(async () => {
    results.push(...(await Promise.all([...scenarios.map(made), ...oauthLogins.map(loggedIn)])));
  });

  it.each(choiceIds)("%s: exactly these commands have results that name it", (id) => {
    const naming = results.filter(({ choices }) => choices.includes(id)).map(({ command }) => command);
    expect([...new Set(naming)].sort()).toEqual([...choiceDefinitions[id].usedBy].sort());
  });
});
