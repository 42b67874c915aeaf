import { createHash, randomBytes } from "node:crypto";
import { type AccessToken, AuthorizationCode, type ModuleOptions } from "simple-oauth2";
import { describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { CLIENT_ID, CLIENT_SECRET, press, projectsOf, REDIRECT_URI, startPlatform } from "./platform.ts";

type Sending = NonNullable<ModuleOptions["options"]>;

/** The library does not discover, and knows no PKCE but the parameters that it is given; its paths are those of 4.1. */
function clientOf({ url }: RunningSimulator, options: Sending = {}, secret = CLIENT_SECRET): AuthorizationCode {
  return new AuthorizationCode({ client: { id: CLIENT_ID, secret }, auth: { tokenHost: url }, options });
}

interface Decided {
  readonly landed: URL;
  readonly state: string;
  readonly grant: { readonly code: string; readonly redirect_uri: string; readonly code_verifier: string };
}

async function decided(client: AuthorizationCode, decision: "approve" | "deny" = "approve"): Promise<Decided> {
  const state = randomBytes(16).toString("base64");
  const verifier = randomBytes(32).toString("base64url");
  const pkce = {
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const scope = ["project", "glossary"];
  const landed = await press(decision, client.authorizeURL({ redirect_uri: REDIRECT_URI, scope, state, ...pkce }));
  const code = landed.searchParams.get("code") ?? "";
  return { landed, state, grant: { code, redirect_uri: REDIRECT_URI, code_verifier: verifier } };
}

async function logIn(client: AuthorizationCode): Promise<AccessToken> {
  return client.getToken((await decided(client)).grant);
}

function call(sim: RunningSimulator, { token }: AccessToken): Promise<Response> {
  return fetch(projectsOf(sim), { headers: { authorization: `Bearer ${token.access_token}` } });
}

/** What the library throws for an answer of the token endpoint: a Boom with the answer in it. */
function refusal(status: number, error: string): object {
  return { isBoom: true, output: { statusCode: status }, data: { payload: { error } } };
}

const ways: readonly Sending[] = [
  { authorizationMethod: "header", bodyFormat: "form", credentialsEncodingMode: "strict" },
  { authorizationMethod: "header", bodyFormat: "form", credentialsEncodingMode: "loose" },
  { authorizationMethod: "header", bodyFormat: "json" },
  { authorizationMethod: "body", bodyFormat: "form" },
  { authorizationMethod: "body", bodyFormat: "json" },
];

describe("simple-oauth2", () => {
  it.each(ways)("does the whole flow with $authorizationMethod $bodyFormat $credentialsEncodingMode", async (way) => {
    await using sim = await startPlatform();
    const client = clientOf(sim, way);
    const first = await logIn(client);
    expect(first.token).toMatchObject({ token_type: "bearer", expires_in: 7200, scope: "project glossary" });
    expect([first.expired(), first.expired(7300)]).toEqual([false, true]);
    const answer = await call(sim, first);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [{ data: { id: 501 } }] });

    sim.clock.advance("3h");
    expect((await call(sim, first)).status).toBe(401);
    const second = await first.refresh();
    expect((await call(sim, second)).status).toBe(200);
    expect(second.token.refresh_token).not.toBe(first.token.refresh_token);

    await second.revoke("access_token");
    expect((await call(sim, second)).status).toBe(401);
    const third = await second.refresh();
    await third.revokeAll();
    expect((await call(sim, third)).status).toBe(401);
    await expect(third.refresh()).rejects.toMatchObject(refusal(400, "invalid_grant"));
  });

  it("refreshes with fewer scopes", async () => {
    await using sim = await startPlatform();
    const first = await logIn(clientOf(sim));
    expect((await first.refresh({ scope: ["project"] })).token.scope).toBe("project");
  });

  it("gets the state back unchanged, even with a denial", async () => {
    await using sim = await startPlatform();
    for (const decision of ["approve", "deny"] as const) {
      const { landed, state } = await decided(clientOf(sim), decision);
      expect(landed.searchParams.get("state")).toBe(state);
      expect(landed.searchParams.get("error")).toBe(decision === "deny" ? "access_denied" : null);
    }
  });

  it("gets the errors of the token endpoint", async () => {
    await using sim = await startPlatform();
    const client = clientOf(sim);
    const { grant } = await decided(client);
    for (const way of ways) {
      await expect(clientOf(sim, way, "wrong").getToken(grant)).rejects.toMatchObject(refusal(401, "invalid_client"));
    }
    const elsewhere = { ...grant, redirect_uri: `${REDIRECT_URI}/` };
    await expect(client.getToken(elsewhere)).rejects.toMatchObject(refusal(400, "invalid_grant"));
    const { code_verifier: _left, ...unproved } = grant;
    await expect(client.getToken(unproved)).rejects.toMatchObject(refusal(400, "invalid_grant"));
    const first = await client.getToken(grant);
    const second = await first.refresh();
    await expect(first.refresh()).rejects.toMatchObject(refusal(400, "invalid_grant"));
    expect((await call(sim, second)).status, "the grant ends with the reuse").toBe(401);
  });

  it.each([
    ["token=400x1", refusal(400, "invalid_request")],
    ["token=500x1", refusal(500, "server_error")],
    ["token=503x1", refusal(503, "temporarily_unavailable")],
    ["token=htmlx1", { isBoom: true, output: { statusCode: 406 } }],
    ["token=garbagex1", { isBoom: true, message: expect.stringContaining("JSON") }],
  ])("gets the fault %s as an error, and may try again", async (fault, told) => {
    await using sim = await startPlatform({ faults: [fault] });
    const client = clientOf(sim);
    const { grant } = await decided(client);
    await expect(client.getToken(grant)).rejects.toMatchObject(told);
    await client.getToken(grant);
  });

  it("learns that a refresh is refused, and the old token stays valid", async () => {
    await using sim = await startPlatform({ faults: ["refresh=refusedx1"] });
    const first = await logIn(clientOf(sim));
    await expect(first.refresh()).rejects.toMatchObject(refusal(400, "invalid_grant"));
    await first.refresh();
  });
});
