import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ActValues, actPlans, replayPlan } from "../../src/inspector/page/act-plans.ts";
import { type CallHandler, guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { postJson } from "../rig/oauth.ts";
import { exchangesOf, jobWith, type Simulation, startSimulation } from "../rig/simulation.ts";

const platform = {
  ...{ url: "http://127.0.0.1:7410", domain: "acme", journal: null },
  apps: [{ name: "app", url: "http://127.0.0.1:3000", redirectUri: "http://127.0.0.1:3000/oauth/callback" }],
  users: [
    { login: "olga.owner", role: "owner" },
    { login: "milan.member", role: "member" },
  ],
  login: { user: "member", ipAddress: "203.0.113.10" },
  oauthStart: null,
};
const plans = actPlans(platform);

function orderOf(id: string, values: ActValues, replayed = "abc") {
  const plan = [...plans, replayPlan(replayed, '{"events":[]}')].find((each) => each.id === id);
  if (plan === undefined) throw new Error(`there is no act ${id}`);
  const defaults = Object.fromEntries(plan.fields.map(({ name, value }) => [name, value]));
  const { path, body, command } = plan.order({ ...defaults, ...values });
  const { args = body } = (body ?? {}) as { readonly args?: unknown };
  return { path, body, args, command };
}

describe("everything done in the inspector is an action, with a command line that does the same", () => {
  it.each<[string, ActValues, string, unknown, string]>([
    [
      "webhook",
      {},
      "/-/actions/webhook",
      [["project.translated"], { respell: true }],
      "app-sim webhook project.translated",
    ],
    [
      "webhook",
      { events: "a, b", data: ' {"x":"it\'s"}', tamper: "all", count: "3" },
      "/-/actions/webhook",
      [["a", "b"], { respell: true, data: { x: "it's" }, tamper: "all", count: 3 }],
      `app-sim webhook a b --data '{"x":"it'\\''s"}' --tamper all --count 3`,
    ],
    [
      "guard",
      { user: "member", press: "accept" },
      "/-/actions/guard",
      [{ user: "member", ipAddress: "203.0.113.10", page: { fill: {}, press: "accept" } }],
      "app-sim guard --user member --ip 203.0.113.10 --press accept",
    ],
    [
      "import",
      { file: '{"jobType":"file-post-import"}', "file name": "a job.json" },
      "/-/actions/postImport",
      [{ name: "a job.json", job: { jobType: "file-post-import" } }, {}],
      "app-sim post-import 'a job.json'",
    ],
    [
      "import",
      { file: '{"strings":{}}', "file name": "short.json" },
      "/-/actions/postImport",
      [{ name: "short.json", fixture: { strings: {} } }, {}],
      "app-sim post-import short.json",
    ],
    [
      "import",
      { file: '{"organization":{"id":1}}', "file name": "job.json" },
      "/-/actions/postImport",
      [{ name: "job.json", job: { organization: { id: 1 } } }, {}],
      "app-sim post-import job.json",
    ],
    [
      "import",
      { path: "fixtures/jobs/a job.json" },
      "/-/actions/postImport",
      ["fixtures/jobs/a job.json", {}],
      "app-sim post-import 'fixtures/jobs/a job.json'",
    ],
    [
      "oauth",
      {},
      "/-/actions/oauthLogin",
      [{ start: "/login", user: "member" }],
      "app-sim oauth --start /login --user member --redirect-uri http://127.0.0.1:3000/oauth/callback",
    ],
    [
      "verify",
      { only: "guard import" },
      "/-/actions/verify",
      [{ only: ["guard", "import"] }],
      "app-sim verify --only guard --only import",
    ],
    ["verify", {}, "/-/actions/verify", [{}], "app-sim verify"],
    ["clock", {}, "/-/clock", { advance: "2h" }, "app-sim clock advance 2h"],
    ["clock", { verb: "freeze" }, "/-/clock", { freeze: true }, "app-sim clock freeze"],
    [
      "faults",
      { add: "token=500x2 api=429@25%" },
      "/-/faults",
      { add: ["token=500x2", "api=429@25%"] },
      "app-sim fault token=500x2 api=429@25%",
    ],
    ["faults", { clear: "yes" }, "/-/faults", { clear: true }, "app-sim fault clear"],
    ["install", { what: "uninstall" }, "/-/actions/uninstall", [{}], "app-sim uninstall"],
    ["login", {}, "/acme/login", null, "app-sim guard"],
    ["replay", {}, "/-/actions/replay", ["abc", {}], "app-sim replay abc"],
    ["replay", { how: "signed again" }, "/-/actions/replay", ["abc", { resign: true }], "app-sim replay abc --resign"],
    [
      "replay",
      { how: "with this body", body: '{"ü":1}' },
      "/-/actions/replay",
      ["abc", { body: { $bytes: Buffer.from('{"ü":1}').toString("base64") } }],
      `app-sim replay abc --data '{"ü":1}'`,
    ],
  ])("%s %j", (id, values, path, args, command) => {
    expect(orderOf(id, values)).toMatchObject({ path, args, command });
  });

  it("starts an OAuth login where the configuration says", () => {
    const starts = [null, "/auth/start"].map((oauthStart) =>
      actPlans({ ...platform, oauthStart }).flatMap(({ fields }) => fields.filter(({ name }) => name === "start")),
    );
    expect(starts).toMatchObject([[{ value: "/login" }], [{ value: "/auth/start" }]]);
  });

  it("offers the configured user, whom guards do not skip", () => {
    const users = plans.flatMap(({ fields }) => fields.filter(({ name }) => name === "user"));
    expect(users).toMatchObject([
      { value: "member", options: ["owner", "member"] },
      { value: "member", options: ["owner", "member"] },
    ]);
  });

  it.each<[string, ActValues, RegExp]>([
    ["webhook", { events: " " }, /name an event/],
    ["webhook", { data: "{" }, /the payload is not JSON/],
    ["webhook", { count: "0" }, /whole number/],
    ["import", {}, /choose a fixture/],
    ["import", { file: "x", "file name": "f.json" }, /f\.json is not JSON/],
    [
      "import",
      { file: '{"file":{"path":"../en.json"}}', "file name": "f.json" },
      /f\.json names another file.*its path/,
    ],
    ["import", { file: '{"stringsFile":"s.json"}', "file name": "f.json" }, /f\.json names another file.*its path/],
    ["oauth", { start: "" }, /where the login begins/],
    ["faults", { add: "" }, /name a fault/],
    ["replay", { how: "with this body", body: "{" }, /the body is not JSON/],
  ])("%s %j is not sent", (id, values, reason) => {
    expect(() => orderOf(id, values)).toThrow(reason);
  });
});

describe("the platform knows every action, and all its options", () => {
  const TOKEN = "a-token-of-128-bits-or-more-that-nobody-can-guess";
  const entries = { guards: [guardEntry("office")], imports: [importEntry("tidy")], webhooks: [webhookEntry("hook")] };
  let simulation: Simulation;
  beforeAll(async () => {
    const answer: CallHandler = (call) => call.reply({ data: {} });
    const serves = { ...manifestOf(entries), events: { installed: "/installed", uninstall: "/uninstall" } };
    const choices = { "install.event": "on" } as const;
    simulation = await startSimulation({ serves, answer, choices, controlToken: TOKEN });
  });
  afterAll(() => simulation[Symbol.asyncDispose]());

  /** The last line of the answer to an act. */
  async function answerTo(id: string, values: ActValues) {
    const [delivery] = exchangesOf(simulation.sim, "webhook");
    const { path, body } = orderOf(id, values, delivery?.id);
    const answer = await postJson(simulation.sim.url + path, body, { authorization: `Bearer ${TOKEN}` });
    return JSON.parse(answer.body.trimEnd().split("\n").at(-1) ?? "");
  }

  const job = { ...jobWith([]), jobType: "file-post-import" };
  it.each<[string, ActValues]>([
    ["webhook", {}],
    ["webhook", { data: '{"projectId":1}', tamper: "all", count: "2" }],
    ["replay", {}],
    ["replay", { how: "signed again" }],
    ["replay", { how: "with this body" }],
    ["guard", {}],
    ["guard", { user: "member", press: "accept" }],
    ["import", { file: '{"file":{"name":"a.json","content":"e30="},"strings":[]}' }],
    ["import", { file: JSON.stringify(job) }],
    ["oauth", {}],
    ["verify", { only: "guard.token.missing" }],
    ["install", {}],
    ["install", { what: "uninstall" }],
  ])("%s, row %#", async (id, values) => {
    expect(await answerTo(id, values)).toHaveProperty("result.command");
  });

  it.each<[string, ActValues]>([
    ["clock", {}],
    ["clock", { verb: "set", value: "2031-05-06T07:08:09Z" }],
    ["clock", { verb: "freeze" }],
    ["clock", { verb: "resume" }],
    ["clock", { verb: "reset" }],
    ["faults", { add: "token=500x2 api=429@25%" }],
    ["faults", { clear: "yes" }],
  ])("%s %j", async (id, values) => {
    expect(await answerTo(id, values)).not.toHaveProperty("error");
  });
});
