import * as client from "openid-client";
import { afterAll, afterEach, expect, test } from "vitest";
import { startSimulator } from "../../src/index.ts";

const redirectUri = "http://127.0.0.1:3000/oauth/callback";
const sim = await startSimulator({
  app: { clientId: "my-app", clientSecret: "my-secret", redirectUris: [redirectUri], scopes: ["project"] },
  oauth: { consent: "approve" },
  seed: 7,
});
afterEach(() => {
  sim.clock.reset();
  sim.oauth.faults.clear();
  sim.oauth.forget();
});
afterAll(() => sim.close());

// From here to the first test: your app's code, in this example with openid-client.
const execute = [client.allowInsecureRequests]; // http, because the platform runs on this machine
const config = await client.discovery(new URL(sim.url), "my-app", "my-secret", undefined, {
  algorithm: "oauth2",
  execute,
});
const projects = new URL("/api/v2/projects", sim.url);

async function logIn() {
  const checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const link = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "project",
    state: checks.expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const { headers } = await fetch(link, { redirect: "manual" }); // the user's browser
  return client.authorizationCodeGrant(config, new URL(headers.get("location") ?? ""), checks);
}

async function callApi(token: string) {
  return client.fetchProtectedResource(config, token, projects, "GET");
}

test("an expired token is refreshed", async () => {
  const first = await logIn();
  sim.clock.advance("2h");
  await expect(callApi(first.access_token)).rejects.toMatchObject({ status: 401 });
  const second = await client.refreshTokenGrant(config, first.refresh_token ?? "");
  expect((await callApi(second.access_token)).status).toBe(200);
});

test("the user declines", async () => {
  sim.oauth.faults.add("consent=deniedx1");
  await expect(logIn()).rejects.toMatchObject({ error: "access_denied" });
});

test("the token endpoint fails twice", async () => {
  sim.oauth.faults.add("token=500x2");
  await expect(logIn()).rejects.toThrow();
  await expect(logIn()).rejects.toThrow();
  await logIn();
});

test("a refused refresh means that the user has to log in again", async () => {
  const { refresh_token: token = "" } = await logIn();
  sim.oauth.faults.add("refresh=refusedx1");
  await expect(client.refreshTokenGrant(config, token)).rejects.toMatchObject({ error: "invalid_grant" });
});

test("a quarter of the API calls are rate limited", async () => {
  const { access_token: token } = await logIn();
  sim.oauth.faults.add("api=429@25%");
  const answers = await Promise.all(Array.from({ length: 40 }, () => callApi(token)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(refused.map(() => "1"));
});

test("an answer without expires_in", async () => {
  sim.oauth.once("token", (answer) => {
    const { expires_in, ...rest } = JSON.parse(answer.body);
    return { ...answer, body: JSON.stringify(rest) };
  });
  expect((await logIn()).expiresIn()).toBeUndefined();
});

test("a callback with a wrong state is refused", async () => {
  sim.oauth.once("redirect", (location) => location.replace(/state=[^&]*/, "state=forged"));
  await expect(logIn()).rejects.toMatchObject({ code: "OAUTH_INVALID_RESPONSE" });
});

test("an access token that has already expired", async () => {
  sim.oauth.once("claims", (claims) => ({ ...claims, exp: claims.iat }));
  const { access_token: token } = await logIn();
  await expect(callApi(token)).rejects.toMatchObject({ status: 401 });
});

test("the platform is down for maintenance", async () => {
  const { access_token: token } = await logIn();
  sim.oauth.once("api", () => ({ status: 503, headers: { "retry-after": "120" }, body: "" }));
  expect((await callApi(token)).headers.get("retry-after")).toBe("120");
});

test("the app makes no unnecessary requests", async () => {
  await logIn();
  const decided = sim.journal.list().filter((record) => record.type === "oauth");
  expect(decided.map(({ step, outcome }) => `${step} ${outcome}`).slice(-2)).toEqual(["authorize ok", "exchange ok"]);
  expect(decided.flatMap(({ warnings }) => warnings)).toEqual([]);
});
