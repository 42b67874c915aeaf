import { expect, it } from "vitest";
import type { Choices } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";

const serves = {
  events: { installed: "/installed", uninstall: "/uninstall" },
  modules: {
    "auth-guard": [{ key: "network", name: "Network", url: "/guard" }],
    "file-post-import": [{ key: "tidy", url: "/import" }],
    webhook: [{ key: "events", url: "/webhooks", events: ["project.translated"] }],
  },
};

const choose: Partial<Choices> = { "install.event": "on", "oauth.grant.installation": "app_installation" };

it("the app's own call that the platform refused explains its refusal, in guards, imports and deliveries", async () => {
  let platform = "";
  const answer: CallHandler = async (call) => {
    await fetch(`${platform}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant_type: "app_installation", client_id: "app-sim-client", client_secret: "wrong" }),
    });
    call.reply({ error: "no token" }, { status: call.path === "/guard" ? 403 : 500 });
  };
  await using simulation = await startSimulation({ serves, answer, choices: choose });
  const { sim } = simulation;
  platform = sim.url;
  const meanwhile = expect.stringMatching(/^meanwhile the app asked for a token and was refused: invalid_client: /);
  expect(await sim.guard()).toMatchObject({ outcome: "failed", hint: meanwhile });
  expect(await sim.postImport("fixtures/jobs/greetings.json")).toMatchObject({ jobs: [{ hint: meanwhile }] });
  expect(await sim.webhook("project.translated")).toMatchObject({ outcome: "failed", hint: meanwhile });
});

it("for an uninstalled app that refuses a call, the hint says that it was uninstalled", async () => {
  const answer: CallHandler = (call) => {
    const isEvent = call.path === "/installed" || call.path === "/uninstall";
    call.reply({ error: "unknown organization" }, { status: isEvent ? 200 : 401 });
  };
  await using simulation = await startSimulation({ serves, answer, choices: choose });
  const { sim } = simulation;
  const install = expect.stringContaining("does the app know the organization 200000001? `app-sim install` sends it");
  expect(await sim.guard()).toMatchObject({ hint: install });
  await sim.uninstall();
  const uninstalled = "the app was uninstalled: `app-sim install` sends it a new installation event";
  expect(await sim.guard()).toMatchObject({ hint: uninstalled });
  expect(await sim.webhook("project.translated")).toMatchObject({ hint: uninstalled });
});

it.each([
  [
    401,
    "invalid user token",
    /^`app-sim doctor` tries the usual mistakes\. Does the app verify the JWT \(HS256, as Authorization: Bearer\) with .* code that verifies it\. A guard that wants to deny access answers 200$/,
  ],
  [500, "no", /^look in the app's own log; a guard that wants to deny access answers 200$/],
  [402, "no", /^a guard that wants to deny access answers 200$/],
  [
    401,
    "no",
    /^a guard that wants to deny access answers 200\. If it did not accept the token: `app-sim doctor` tries the usual mistakes\. Does the app/,
  ],
  [
    403,
    "no",
    /^a guard that wants to deny access answers 200\. If it did not accept the token: `app-sim doctor` tries the usual mistakes\. Does the app/,
  ],
])("a denial with another status keeps its reason, in whole sentences: %i %s", async (status, message, hint) => {
  const answer: CallHandler = (call) => call.reply({ success: false, message }, { status });
  await using simulation = await startSimulation({ serves, answer });
  expect(await simulation.sim.guard()).toMatchObject({ reason: message, hint: expect.stringMatching(hint) });
});

it("for an app that crashes at a call, but served its manifest, TLS is not suspected", async () => {
  const answer: CallHandler = (call) => call.reset();
  await using simulation = await startSimulation({ serves, answer });
  expect((await simulation.sim.guard()).hint).toMatch(/^did the app crash or exit on this call\? Its own log/);
});

it.each([
  [[{ success: true }], "success is inside an array: answer with the object alone"],
  [{ data: { success: true } }, 'success is inside "data": put it at the top level of the answer'],
  [
    { status: "ok", result: { success: false, message: "no" } },
    'success is inside "result": put it at the top level of the answer',
  ],
  [{}, "the answer is an empty object: is an await missing, or does a response schema leave success out?"],
  [{ data: { ok: true } }, null],
  ["yes", null],
  [
    '{"success":true}',
    "it is a string of JSON: was it stringified twice, as by res.json(JSON.stringify(value))? Send the value itself",
  ],
])("an answer that is not the object itself: %j", async (answer, hint) => {
  await using simulation = await startSimulation({ serves, answer: (call) => call.reply(answer) });
  expect((await simulation.sim.guard()).hint).toBe(hint);
});

it.each<[what: string, answer: CallHandler, hint: RegExp]>([
  [
    "by HTTP authentication",
    (call) => call.send("", { status: 401, headers: { "www-authenticate": 'Basic realm="Staff"' } }),
    /^the app asks for Basic authentication: exempt this route from it, because the platform has no session/,
  ],
  [
    "by a session",
    (call) => call.reply({ error: "Please log in" }, { status: 401 }),
    /^the app asks for a login: exempt/,
  ],
  [
    "by a page",
    (call) => call.send("<h1>Sign in</h1>", { status: 401, headers: { "content-type": "text/html" } }),
    /^the app asks for a login: exempt/,
  ],
  [
    "by nothing, because it is a decision",
    (call) => call.reply({ success: false, message: "Please log in from the office." }, { status: 401 }),
    /^a guard that wants to deny access answers 200\./,
  ],
  ["by nothing, for its token", (call) => call.reply({ error: "invalid login token" }, { status: 401 }), /doctor/],
])("a route that is protected %s", async (_, answer, hint) => {
  await using simulation = await startSimulation({ serves, answer });
  expect((await simulation.sim.guard()).hint).toMatch(hint);
});

const SIGNATURE_HINT =
  "the JWT is signed with HS256: verify it with the PLATFORM_CLIENT_SECRET that `app-sim env` prints (PLATFORM_APP_SECRET is another one, for webhooks).";

it.each([
  ["Invalid token", "is its signature verified with the PLATFORM_CLIENT_SECRET that `app-sim env` prints?"],
  [
    "The token could not be verified.",
    "is its signature verified with the PLATFORM_CLIENT_SECRET that `app-sim env` prints?",
  ],
  ["invalid signature", SIGNATURE_HINT],
  ["JWT verification failed", SIGNATURE_HINT],
  [
    "jwt audience invalid. expected: my-app",
    'the JWT\'s aud is "app-sim-client", the PLATFORM_CLIENT_ID that `app-sim env` prints: does the app expect that?',
  ],
  ...["secret or public key must be provided", "secretOrPrivateKey must have a value", "zero-length key"].map(
    (message): [string, string] => [
      message,
      "the app has no key to verify the JWT with: was it started with the PLATFORM_CLIENT_SECRET that `app-sim env` prints?",
    ],
  ),
  ["A security key must be provided.", null],
  ["Use the VPN.", null],
  ["Register a security token first.", null],
  ["Your password is wrong", null],
])("a denial with words about the token asks about the token, and any other does not: %s", async (message, asks) => {
  await using simulation = await startSimulation({
    serves,
    answer: (call) => call.reply({ success: false, message }),
  });
  const { outcome, reason, hint } = await simulation.sim.guard();
  expect([outcome, reason]).toEqual(["denied", message]);
  const asked = `\`app-sim doctor\` tries the usual mistakes. If that is about the JWT of the call: ${asks} A guard that does not trust the JWT answers 401, not 200`;
  expect(hint).toBe(asks && asked);
});

it("a denial with words about a comparison names the values to compare", async () => {
  const message = "wrong organization";
  await using simulation = await startSimulation({ serves, answer: (call) => call.reply({ success: false, message }) });
  expect(await simulation.sim.guard()).toMatchObject({
    outcome: "denied",
    hint: expect.stringMatching(
      /^if that compares the body with the JWT: .* organizationId as context\.organization_id/,
    ),
  });
});

it.each([
  ["required", { error: "code is required" }, 400, "the first call has no code"],
  ["shown by a redirect", "", 302, "that is the guard's own page (options.url)"],
])("a page whose guard does not wait for it: %s", async (_, says, status, hint) => {
  const guards = [{ key: "terms", name: "Terms", url: "/guard", options: { type: "redirect", url: "/page" } }];
  const answer: CallHandler = (call) => call.reply(says, { status, headers: { location: "/page" } });
  await using simulation = await startSimulation({ serves: { modules: { "auth-guard": guards } }, answer });
  expect(await simulation.sim.guard()).toMatchObject({ hint: expect.stringContaining(hint) });
});

it("the first call of a guard with a page may mention a token: its user has yet to type one", async () => {
  const guards = [{ key: "otp", name: "Code", url: "/guard", options: { type: "redirect", url: "/page" } }];
  const answer: CallHandler = (call) =>
    call.path === "/guard" ? call.reply({ success: false, message: "Invalid token" }) : call.send("", { status: 404 });
  await using simulation = await startSimulation({ serves: { modules: { "auth-guard": guards } }, answer });
  expect(JSON.stringify(await simulation.sim.guard({ page: { press: "ok" } }))).not.toContain("about the JWT");
});

it("a promise that was not awaited is an empty object in JSON", async () => {
  await using simulation = await startSimulation({ serves, answer: (call) => call.reply({ success: {} }) });
  expect((await simulation.sim.guard()).hint).toBe("a promise becomes {} in JSON: is an await missing?");
});
