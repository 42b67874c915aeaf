import { describe, expect, it, test } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { bodyText } from "../../src/journal/journal.ts";
import { faultKinds } from "../../src/protocol/fault-kinds.ts";
import {
  type Answer,
  authorize,
  callApi,
  codeFor,
  consent,
  exchange,
  manage,
  redirectedTo,
  refresh,
  startPlatform,
  tokens,
  verdictOf,
} from "../rig/oauth.ts";
import { exchangesOf, usageErrorOf } from "../rig/simulation.ts";

/** A login of which only the fate at the app's address matters. */
async function landing(sim: RunningSimulator): Promise<Record<string, string>> {
  return Object.fromEntries(redirectedTo(await authorize(sim)).searchParams);
}

/** The statuses of so many calls to the API, one after the other, without a token: 401 where no fault strikes. */
async function statuses(sim: RunningSimulator, count: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < count) seen.push((await callApi(sim, null)).status);
  return seen;
}

function statusOf({ status }: Answer): number {
  return status;
}

describe("sim.oauth.once()", () => {
  it("token: changes only the next answer of the token endpoint, for the app and in the journal", async () => {
    await using sim = await startPlatform();
    sim.oauth.once("token", ({ body, ...answer }) => {
      const { expires_in, ...rest } = JSON.parse(body);
      return { ...answer, body: JSON.stringify({ ...rest, token_type: "BEARER", extra: true }) };
    });
    const first = await tokens(sim);
    expect(first).toMatchObject({ token_type: "BEARER", extra: true, scope: "project" });
    expect(first).not.toHaveProperty("expires_in");
    const [recorded] = exchangesOf(sim, "token");
    expect(recorded?.response && bodyText(recorded.response.body)).toContain('"extra":true');
    const second = await refresh(sim, first.refresh_token);
    expect(JSON.parse(second.body)).toMatchObject({ token_type: "bearer", expires_in: 7200 });
  });

  it("token: also changes a refusal and a refresh", async () => {
    await using sim = await startPlatform();
    const { refresh_token: token } = await tokens(sim);
    sim.oauth.once("token", (answer) => ({ ...answer, headers: { ...answer.headers, "x-first": "refusal" } }));
    sim.oauth.once("token", () => ({
      status: 418,
      headers: { "content-type": "text/plain" },
      body: "short and stout",
    }));
    expect(await refresh(sim, "unknown")).toMatchObject({ status: 400, headers: { "x-first": "refusal" } });
    expect(await refresh(sim, token)).toMatchObject({
      status: 418,
      headers: { "content-type": "text/plain" },
      body: "short and stout",
    });
    expect(statusOf(await refresh(sim, "unknown"))).toBe(400);
  });

  it("api: changes the next answer of the REST API", async () => {
    await using sim = await startPlatform();
    const { access_token: token } = await tokens(sim);
    sim.oauth.once("api", (answer) => ({ ...answer, body: answer.body.replace("Mobile app", "<b>Ünïcödé</b>") }));
    expect((await callApi(sim, token)).body).toContain('"name":"<b>Ünïcödé</b>"');
    expect((await callApi(sim, token)).body).toContain('"name":"Mobile app"');
  });

  it("redirect: changes the next redirect address, with or without consent", async () => {
    await using sim = await startPlatform();
    sim.oauth.once("redirect", (location) => location.replace("state=state-1", "state=forged"));
    expect(await landing(sim)).toMatchObject({ state: "forged", code: expect.any(String) });
    expect(await landing(sim)).toMatchObject({ state: "state-1" });

    await using asking = await startPlatform({ oauth: { consent: "ask" } });
    asking.oauth.once("redirect", (location) => `${location}&code=injected`);
    const page = await authorize(asking);
    expect(page.status, "a page is no redirect").toBe(200);
    const landed = redirectedTo(await consent(asking, page, { decision: "deny" })).searchParams;
    expect([landed.get("error"), landed.get("code")]).toEqual(["access_denied", "injected"]);
  });

  it("claims: changes the next access token before signing, so that its signature is valid", async () => {
    await using sim = await startPlatform();
    sim.oauth.once("claims", (claims) => ({ ...claims, exp: claims.iat, region: "north" }));
    const { access_token: expired, refresh_token: token } = await tokens(sim);
    expect(JSON.parse(Buffer.from(expired.split(".")[1] ?? "", "base64url").toString())).toMatchObject({
      region: "north",
    });
    const refused = await callApi(sim, expired);
    expect(refused.headers["www-authenticate"]).toContain("the access token has expired");
    const { access_token: usual } = JSON.parse((await refresh(sim, token)).body);
    expect((await callApi(sim, usual)).status).toBe(200);
  });
});

describe("faults", () => {
  it("are counted: token=500x2 costs two tries, and neither code nor refresh token", async () => {
    await using sim = await startPlatform({ faults: ["token=500x2"] });
    const code = await codeFor(sim);
    const tries = [await exchange(sim, { code }), await exchange(sim, { code }), await exchange(sim, { code })];
    expect(tries.map(statusOf)).toEqual([500, 500, 200]);
    sim.oauth.faults.add("refresh=503x1");
    const { refresh_token: token } = JSON.parse(tries[2]?.body ?? "");
    expect([await refresh(sim, token), await refresh(sim, token)].map(statusOf)).toEqual([503, 200]);
  });

  it("are given as objects, too", async () => {
    await using sim = await startPlatform({ faults: [{ place: "token", kind: "500", times: 2 }] });
    const { faults } = sim.oauth;
    faults.add({ place: "api", kind: "429", percent: 25 }, { place: "token", kind: "slow", duration: "3s" });
    faults.add({ place: "consent", kind: "denied" });
    expect(faults.list()).toEqual([
      { fault: "token=500x2", left: 2 },
      { fault: "api=429@25%", left: null },
      { fault: "token=slow:3s", left: null },
      { fault: "consent=denied", left: null },
    ]);
    const refused = (fault: object) => () => faults.add(fault as never);
    expect(refused({ place: "token", kind: "500", time: 2 })).toThrow('Did you mean "times"?');
    expect(refused({ place: "token", kind: "500", times: 2, percent: 5 })).toThrow("exclude each other");
    expect(refused({ place: "tokn", kind: "500" })).toThrow('Did you mean "token"?');
    expect(refused({ place: "token", kind: "500", times: 0 })).toThrow("x0 is not a number of times");
    expect(faults.list()).toHaveLength(4);
  });

  const seeded = { faults: ["api=429@30%", "api=500@10%"] };

  it("by chance: the same seed gives the same sequence, and another seed a different one", async () => {
    const sequences: number[][] = [];
    for (const seed of [7, 7, 8]) {
      await using sim = await startPlatform({ ...seeded, seed });
      sequences.push(await statuses(sim, 60));
    }
    const [first, again, other] = sequences;
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([401, 429, 500]));
  });

  it("by chance: events elsewhere change nothing, and after clear() it starts again", async () => {
    await using sim = await startPlatform({ ...seeded, seed: 7 });
    const first = await statuses(sim, 30);
    sim.oauth.faults.clear();
    expect(sim.oauth.faults.list()).toEqual([]);
    expect(new Set(await statuses(sim, 30))).toEqual(new Set([401]));
    sim.oauth.faults.add(...seeded.faults, "token=500@50%");
    const again: number[] = [];
    while (again.length < 30) {
      await exchange(sim, { code: "unknown" });
      again.push(...(await statuses(sim, 1)));
    }
    expect(again).toEqual(first);
  });

  const answered = (["token", "refresh", "api"] as const).flatMap((place) =>
    faultKinds[place].filter((kind) => kind !== "slow").map((kind) => `${place}=${kind}`),
  );
  const statusByKind: Readonly<Record<string, number>> = { refused: 400, html: 502, garbage: 200 };

  it.each(answered)("%s strikes once, says so, and then everything works", async (fault) => {
    const [place = "", kind = ""] = fault.split("=");
    await using sim = await startPlatform();
    const { access_token: access, refresh_token: token } = await tokens(sim);
    sim.oauth.faults.add(`${fault}x1`);
    const once = () => (place === "api" ? callApi(sim, access) : refresh(sim, token));
    const struck = await once();
    expect(struck.status).toBe(statusByKind[kind] ?? Number(kind));
    if (kind === "garbage") expect(() => JSON.parse(struck.body)).toThrow("JSON");
    else expect(struck.body).toContain(`app-sim was asked for this fault: ${fault}`);
    const outcomes = sim.journal.list().filter((record) => record.type === "oauth");
    expect(outcomes.at(-1)).toMatchObject({
      outcome: "refused",
      error: kind,
      reason: `the requested fault: ${fault}`,
      client: "garden-client",
    });
    expect(statusOf(await once())).toBe(200);
  });

  test("refresh=refused affects only refreshes", async () => {
    await using sim = await startPlatform({ faults: ["refresh=refused"] });
    const { access_token: access, refresh_token: token } = await tokens(sim);
    expect(verdictOf(await refresh(sim, token))).toBe("400 invalid_grant");
    expect(verdictOf(await refresh(sim, token))).toBe("400 invalid_grant");
    expect((await callApi(sim, access)).status, "the access token lives on").toBe(200);
    sim.oauth.faults.clear();
    expect(verdictOf(await refresh(sim, token))).toBe("200");
  });

  it.each([
    ["denied", "access_denied"],
    ["server_error", "server_error"],
    ["temporarily_unavailable", "temporarily_unavailable"],
  ])("consent=%s goes to the app as %s, with the state", async (kind, error) => {
    await using sim = await startPlatform({ faults: [`consent=${kind}x1`] });
    const description = "a requested fault";
    expect(await landing(sim)).toEqual({ error, error_description: description, state: "state-1" });
    expect(await landing(sim)).toEqual({ code: expect.any(String), state: "state-1" });
  });

  test("oauth.consent deny refuses everybody", async () => {
    await using sim = await startPlatform({ oauth: { consent: "deny" } });
    expect(await landing(sim)).toMatchObject({ error: "access_denied", state: "state-1" });
    expect(await landing(sim)).toMatchObject({ error: "access_denied", state: "state-1" });
  });

  it("slow: delays only one request, in real time, until the platform is closed", async () => {
    await using sim = await startPlatform();
    const { access_token: token } = await tokens(sim);
    sim.oauth.faults.add("api=slow:1hx1");
    // Which of the two comes first does not matter: it gets the fault, and the other the answer.
    const both = [callApi(sim, token), callApi(sim, token)];
    expect((await Promise.race(both)).status).toBe(200);
    sim.clock.advance("90m");
    expect((await callApi(sim, token)).status).toBe(200);
    expect(exchangesOf(sim, "api")).toHaveLength(2);
    const ended = Promise.allSettled(both);
    await sim.close();
    expect(await ended).toHaveLength(2);
  });

  it("slow: is answered as usual afterwards, even by the token endpoint", async () => {
    await using sim = await startPlatform({ faults: ["token=slow:1msx1", "api=slow:1msx1"] });
    const { access_token: token } = await tokens(sim);
    expect((await callApi(sim, token)).status).toBe(200);
    expect(sim.oauth.faults.list()).toEqual([]);
  });

  it("list what is still to come", async () => {
    await using sim = await startPlatform({ faults: ["token=500x2", "api=429@25%"] });
    await exchange(sim, { code: "unknown" });
    expect(sim.oauth.faults.list()).toEqual([
      { fault: "token=500x2", left: 1 },
      { fault: "api=429@25%", left: null },
    ]);
  });

  it("that are unknown are the user's mistake, at the start and later", async () => {
    const mistake = { code: "fault-invalid", message: expect.stringContaining('fault "token=501"') };
    expect(await usageErrorOf(startPlatform({ faults: ["token=501"] }))).toMatchObject(mistake);
    await using sim = await startPlatform();
    expect(() => sim.oauth.faults.add("api=500x1", "token=501")).toThrow(expect.objectContaining(mistake));
    expect(sim.oauth.faults.list(), "all of them or none").toEqual([]);
  });

  it("do not affect revocation and introspection", async () => {
    await using sim = await startPlatform();
    const { access_token: token } = await tokens(sim);
    sim.oauth.faults.add("token=500", "api=500", "refresh=500");
    expect(JSON.parse((await manage(sim, "introspect", token)).body)).toMatchObject({ active: true });
    expect(statusOf(await manage(sim, "revoke", token))).toBe(200);
  });
});
