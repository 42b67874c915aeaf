import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import type { AppCall } from "../rig/fake-app.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { bearerOf, startSimulation } from "../rig/simulation.ts";

// Other ways to the token of an installation: the grant of an agent, and a code in the event.

const secrets = {
  client_id: "app-sim-client",
  client_secret: "app-sim-client-secret-long-enough-for-HS256",
};
const proof = { app_id: "app-sim-app", app_secret: "app-sim-app-secret", domain: "acme", user_id: 101 };

const serving = (type: string) => ({
  ...manifestOf({}),
  events: { installed: "/installed", uninstall: "/uninstall" },
  authentication: { type, clientId: "app-sim-client" },
  scopes: ["project"],
});

interface Asked {
  readonly event: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, string>>;
}

/** An app that asks for a token as its event says, while its installation is open; what it asked and got, in order. */
function askingApp(parametersFor: (event: Asked["event"]) => object) {
  const asked: Asked[] = [];
  const answer = async (call: AppCall) => {
    const event = call.json() as Asked["event"];
    const response = await fetch(`${event.baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...secrets, ...parametersFor(event) }),
    });
    asked.push({ event, status: response.status, answer: (await response.json()) as Asked["answer"] });
    call.send("", { status: response.ok ? 204 : 500 });
  };
  return { asked, answer };
}

test("an app that acts as an agent finds the agent's id in its event, and gets a token only with it", async () => {
  const ids = [true, false];
  const { asked, answer } = askingApp(({ agentId }) => {
    return { grant_type: "crowdin_agent", ...proof, ...(ids.shift() ? { agent_id: agentId } : {}) };
  });
  await using run = await startSimulation({ serves: serving("crowdin_agent"), answer, profile: "crowdin" });
  const installed = await run.sim.install();
  expect(installed).toMatchObject({ outcome: "installed", apps: [{ grant: { type: "crowdin_agent" } }] });
  expect(installed.choices).toContain("oauth.grant.agent");
  expect(await run.sim.install()).toMatchObject({ outcome: "failed", apps: [{ grant: { error: "invalid_grant" } }] });
  expect(asked.map(({ event }) => event.agentId)).toEqual([900_000_001, 900_000_001]);
  await run.sim.uninstall();
  expect(asked.at(-1)?.event).not.toHaveProperty("agentId");
});

test("an app that exchanges a code finds it in its event; the code is valid once, without a redirect address", async () => {
  let code = "";
  const { asked, answer } = askingApp((event) => {
    code = String(event.code);
    return { grant_type: "authorization_code", code };
  });
  await using run = await startSimulation({ serves: serving("authorization_code"), answer, profile: "crowdin" });
  expect(await run.sim.install()).toMatchObject({
    outcome: "installed",
    apps: [{ grant: { outcome: "granted", type: "authorization_code" } }],
  });
  const token = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ ...secrets, ...body }) };
    return (await fetch(`${run.sim.url}/oauth/token`, init)).json() as Promise<Record<string, string>>;
  };
  const refreshed = await token({ grant_type: "refresh_token", refresh_token: asked[0]?.answer.refresh_token });
  expect(refreshed).toMatchObject({ scope: "project", refresh_token: expect.any(String) });
  const redirected = { grant_type: "authorization_code", code, redirect_uri: "http://127.0.0.1:3000/callback" };
  expect(await token(redirected)).toMatchObject({
    error: "invalid_grant",
    error_description: expect.stringContaining("came with the installation event"),
  });
  expect(await token({ grant_type: "authorization_code", code })).toMatchObject({ error: "invalid_grant" });
  expect(asked[0]?.event).not.toHaveProperty("agentId");
});

test("an app that exchanges the code of each call finds one in its event and in every JWT, and gets no token without", async () => {
  const { asked, answer } = askingApp(({ code }) => ({ ...proof, grant_type: "crowdin_app_with_code", code }));
  await using run = await startSimulation({
    serves: { ...serving("crowdin_app_with_code"), ...manifestOf({ guards: [guardEntry("office")] }) },
    answer,
    profile: "crowdin",
  });
  const installed = await run.sim.install();
  expect(installed).toMatchObject({ outcome: "installed", apps: [{ grant: { type: "crowdin_app_with_code" } }] });
  expect(installed.choices).toContain("oauth.grant.callCode");
  expect(asked[0]?.answer).not.toHaveProperty("refresh_token");
  const token = async (code?: string) => {
    const body = JSON.stringify({ ...secrets, ...proof, grant_type: "crowdin_app_with_code", code });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${run.sim.url}/oauth/token`, { method: "POST", headers, body })).json();
  };
  const codes: string[] = [];
  run.app.answer((call) => {
    codes.push(String(decodeJwt(bearerOf(call)).code));
    call.reply({ success: true });
  });
  for (const _ of "ab") expect((await run.sim.guard()).outcome).toBe("granted");
  const [first = "", second] = codes;
  expect(second).not.toBe(first);
  for (const _ of "ab") expect(await token(first)).toMatchObject({ access_token: expect.any(String) });
  const refused = (why: string) => ({ error: "invalid_grant", error_description: expect.stringContaining(why) });
  expect(await token()).toMatchObject(refused("code is missing"));
  expect(await token(first.replace(/^\d/, "9"))).toMatchObject(refused("the code was not issued to this app"));
  await run.sim.clock.advance(901_000);
  expect(await token(first)).toMatchObject(refused("has expired"));
});

test("an app with the grant of its installation finds neither in its event", async () => {
  const { asked, answer } = askingApp(() => ({ grant_type: "crowdin_app", ...proof }));
  await using run = await startSimulation({ serves: serving("crowdin_app"), answer, profile: "crowdin" });
  expect(await run.sim.install()).toMatchObject({ outcome: "installed" });
  for (const name of ["agentId", "code"]) expect(asked[0]?.event).not.toHaveProperty(name);
});

test("an app that needs a new token for each call gets it from a verification, too", async () => {
  const statuses: number[] = [];
  await using run = await startSimulation({
    serves: { ...serving("crowdin_app"), identifier: "word-book", ...manifestOf({ guards: [guardEntry("office")] }) },
    profile: "crowdin",
  });
  run.app.answer(async (call) => {
    const ask = { ...secrets, ...proof, grant_type: "crowdin_app", app_id: "word-book" };
    const headers = { "content-type": "application/json" };
    const token = await fetch(`${run.sim.url}/oauth/token`, { method: "POST", headers, body: JSON.stringify(ask) });
    statuses.push(token.status);
    call.reply({ success: token.ok && call.header("authorization") !== undefined });
  });
  const { checks } = await run.sim.verify({ only: ["guard.token.missing"] });
  expect(checks).toMatchObject([{ result: "pass" }]);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
