import { once } from "node:events";
import { request } from "node:http";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { type Answer, callApi, codeFor, garden, manage, orchard, send, startPlatform, tokens } from "../rig/oauth.ts";

// Interface 5.4 and 4.1: the REST API. Row A29 of the hardening table.

const projects = Array.from({ length: 60 }, (_, index) => ({
  id: 1000 + index,
  identifier: `project-${index}`,
  name: `Project ${index}`,
  targetLanguages: ["uk", "de"],
  ...(index === 7 ? { members: ["maria.manager"] } : {}),
  ...(index === 8 ? { members: ["milan.member", "otto.outsider"] } : {}),
}));

let sim: RunningSimulator;
let token: string;
beforeAll(async () => {
  sim = await startPlatform({ projects, oauth: { consent: "ask" } });
  token = (await tokens(sim, {}, "milan.member")).access_token;
});
afterAll(() => sim.close());

/** The ids on one page, or all on one page of 500. */
function idsOf({ body }: Answer): number[] {
  return JSON.parse(body).data.map(({ data }: { data: { id: number } }) => data.id);
}

const challengeOf = ({ headers }: Answer) => headers["www-authenticate"];

describe("5.4 A29: the token of a call", () => {
  it.each<[string, Record<string, string>]>([
    ["no Authorization", {}],
    ["an empty Authorization", { authorization: "" }],
    ["Basic", { authorization: "Basic Z2FyZGVuLWNsaWVudDpnYXJkZW4tc2VjcmV0" }],
    ["Bearer alone", { authorization: "Bearer" }],
  ])("%s: 401 with the bare challenge", async (_, headers) => {
    const answer = await callApi(sim, null, undefined, headers);
    expect([answer.status, challengeOf(answer)]).toEqual([401, "Bearer"]);
    expect(JSON.parse(answer.body)).toEqual({ error: { message: expect.stringMatching(/access token/), code: 401 } });
  });

  it("a token in the URL or in a form does not count (RFC 6750 section 2)", async () => {
    const answer = await callApi(sim, null, `/api/v2/projects?access_token=${token}`);
    expect([answer.status, challengeOf(answer)]).toEqual([401, "Bearer"]);
  });

  it.each(["Bearer", "bearer", "BEARER", "bEaReR"])("the scheme %s is accepted", async (scheme) => {
    expect((await callApi(sim, null, undefined, { authorization: `${scheme} ${token}` })).status).toBe(200);
  });

  it("one that was not issued here is invalid_token, whatever its form", async () => {
    const [header = "", payload = "", signature = ""] = token.split(".");
    const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    const others = [
      "x",
      "a.b.c",
      "....",
      "é",
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: "101" })).toString("base64url")}.${signature}`,
      `${token}.${token}`,
      `${token}x`,
      "a".repeat(9000),
      garden.clientSecret,
    ];
    for (const other of others) {
      const answer = await callApi(sim, null, undefined, { authorization: `Bearer ${other}` });
      expect([other, answer.status, challengeOf(answer)]).toEqual([
        other,
        401,
        'Bearer error="invalid_token", error_description="the access token was not issued by this platform"',
      ]);
    }
  });

  it("another credential sent by mistake is invalid_token, and the error says what it is", async () => {
    const { refresh_token } = await tokens(sim);
    const told = "send the access_token from the token endpoint's answer";
    for (const [other, says] of [
      ["null", "a word such as undefined was sent instead of the access token"],
      ["undefined", "a word such as undefined was sent instead of the access token"],
      [refresh_token, "a refresh token is not an access token"],
      [await codeFor(sim), "an authorization code is not an access token"],
    ] as const) {
      const answer = await callApi(sim, other);
      expect(answer.status).toBe(401);
      expect(challengeOf(answer)).toBe(`Bearer error="invalid_token", error_description="${says}: ${told}"`);
    }
  });

  it("one in quotes is invalid_token, and the error says so", async () => {
    const answer = await callApi(sim, JSON.stringify(token));
    expect(challengeOf(answer)).toContain("the access token is in quotes: send it without them");
  });

  it("at an address without the prefix the error says where the API is, and a browser sees the usual page", async () => {
    const stray = await fetch(`${sim.url}/projects`, { headers: { authorization: `Bearer ${token}` } });
    expect([stray.status, await stray.text()]).toEqual([404, expect.stringContaining("only GET /api/v2/projects")]);
    expect(sim.journal.list().at(-1)).toMatchObject({ type: "oauth", step: "api", error: "404" });
    const browser = await fetch(`${sim.url}/projects`, { headers: { accept: "text/html" } });
    expect([browser.status, await browser.text()]).toEqual([404, expect.stringContaining("Page not found")]);
  });

  it("one of another platform, or of an earlier run, is invalid_token", async () => {
    await using other = await startPlatform();
    const { access_token } = await tokens(other);
    expect((await callApi(other, access_token)).status).toBe(200);
    expect(challengeOf(await callApi(sim, access_token))).toContain('error="invalid_token"');
  });

  it("a refresh token, a code and a guard's token do not count", async () => {
    const { refresh_token } = await tokens(sim);
    expect(challengeOf(await callApi(sim, refresh_token))).toContain('error="invalid_token"');
  });

  it("a revoked one is invalid_token, and the error says so; others of the grant stay valid", async () => {
    const [first, second] = [await tokens(sim), await tokens(sim)];
    await manage(sim, "revoke", first.access_token);
    expect(challengeOf(await callApi(sim, first.access_token))).toBe(
      'Bearer error="invalid_token", error_description="the access token was revoked"',
    );
    expect((await callApi(sim, second.access_token)).status).toBe(200);
  });

  it("one without the scope is 403 insufficient_scope, and the error names the scope", async () => {
    const { access_token } = await tokens(sim, { scope: "glossary" });
    const answer = await callApi(sim, access_token);
    expect([answer.status, challengeOf(answer)]).toEqual([
      403,
      'Bearer error="insufficient_scope", error_description="the user did not grant the scope project", scope="project"',
    ]);
    await using renamed = await startPlatform({ choices: { "api.projects.scope": "glossary" } });
    expect((await callApi(renamed, (await tokens(renamed, { scope: "glossary" })).access_token)).status).toBe(200);
    expect((await callApi(renamed, (await tokens(renamed)).access_token)).status).toBe(403);
  });

  it("every answer is JSON that is not cached", async () => {
    for (const one of [token, null, "x"]) {
      expect((await callApi(sim, one)).headers).toMatchObject({
        "content-type": expect.stringMatching(/^application\/json/),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
    }
  });
});

describe("5.4 the listing is on behalf of the user", () => {
  it.each([
    ["olena.owner", [7, 8], []],
    ["adam.admin", [7, 8], []],
    ["maria.manager", [7], [8]],
    ["milan.member", [8], [7]],
  ])("%s", async (user, sees, misses) => {
    const { access_token } = await tokens(sim, {}, user);
    const ids = idsOf(await callApi(sim, access_token, "/api/v2/projects?limit=500"));
    for (const index of sees) expect(ids).toContain(1000 + index);
    for (const index of misses) expect(ids).not.toContain(1000 + index);
    expect(ids).toHaveLength(60 - misses.length);
  });

  it("an outsider sees only projects that list them", async () => {
    const { access_token } = await tokens(sim, {}, "otto.outsider");
    expect(idsOf(await callApi(sim, access_token))).toEqual([1008]);
  });

  it("has the shape of the choice", async () => {
    const { body } = await callApi(sim, token, "/api/v2/projects?limit=1&offset=2");
    expect(JSON.parse(body)).toEqual({
      data: [
        {
          data: {
            id: 1002,
            identifier: "project-2",
            name: "Project 2",
            organization: "acme",
            sourceLanguageId: "en",
            targetLanguageIds: ["uk", "de"],
          },
        },
      ],
      pagination: { offset: 2, limit: 1 },
    });
  });

  it("comes in pages of 25 by default, which together are complete", async () => {
    const whole = idsOf(await callApi(sim, token, "/api/v2/projects?limit=500"));
    expect(idsOf(await callApi(sim, token))).toEqual(whole.slice(0, 25));
    const pages: number[] = [];
    for (let offset = 0; offset < whole.length; offset += 13) {
      pages.push(...idsOf(await callApi(sim, token, `/api/v2/projects?limit=13&offset=${offset}`)));
    }
    expect(pages).toEqual(whole);
    expect(idsOf(await callApi(sim, token, "/api/v2/projects?offset=999999999"))).toEqual([]);
    expect(idsOf(await callApi(sim, token, "/api/v2/projects?limit=&offset=&other=1"))).toHaveLength(25);
  });

  it.each([
    "limit=0",
    "limit=501",
    "limit=-1",
    "limit=1.5",
    "limit=1e2",
    "limit=%201",
    "limit=x",
    "limit=١",
    "limit=1&limit=1",
    "offset=-1",
    "offset=0x1",
    "offset=9999999999999999",
    "offset=1&offset=2",
    "limit=%",
  ])("%s is 400", async (query) => {
    const { status, body } = await callApi(sim, token, `/api/v2/projects?${encodeURI(query).replaceAll("%25", "%")}`);
    expect([status, JSON.parse(body).error.code]).toEqual([400, 400]);
  });
});

describe("4.1 the addresses of the REST API", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"])("%s is 405", async (method) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await send(`${sim.url}/api/v2/projects`, { method, headers, body: "{" });
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  it("HEAD is the listing without its body", async () => {
    const answer = await send(`${sim.url}/api/v2/projects`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${token}` },
    });
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });

  it.each(["/api/v2", "/api/v2/projects/", "/api/v2/projects/1", "/api/v1/projects", "/api/v2/Projects", "/api/"])(
    "%s: 404 in JSON, for everybody with a token",
    async (path) => {
      expect([(await callApi(sim, null, path)).status, (await callApi(sim, token, path)).status]).toEqual([401, 404]);
      const { body } = await callApi(sim, token, path);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 404 } });
    },
  );

  /** The same call to another name of the platform, which no resolver needs to know. */
  async function statusAt(name: string): Promise<[number | undefined, string]> {
    const { port } = new URL(sim.url);
    const headers = { host: `${name}:${port}`, authorization: `Bearer ${token}` };
    const sent = request(`${sim.url}/api/v2/projects`, { headers, agent: false });
    sent.end();
    const [response] = await once(sent, "response");
    let body = "";
    for await (const chunk of response.setEncoding("utf8")) body += chunk;
    return [response.statusCode, body];
  }

  it.each(["127.0.0.1", "localhost", "api.localhost", "acme.localhost", "acme.api.localhost", "ACME.API.LocalHost"])(
    "at %s it is the organization's",
    async (name) => {
      expect((await statusAt(name))[0]).toBe(200);
    },
  );

  it.each(["beta.localhost", "beta.api.localhost"])("at %s there is no organization: 404", async (name) => {
    const [status, body] = await statusAt(name);
    expect(status).toBe(404);
    expect(JSON.parse(body).error.message).toContain("no organization beta here");
  });

  it.each(["api.example.com", "acme.localhost.example.com", "0.0.0.0"])("at %s: 403", async (name) => {
    expect((await statusAt(name))[0]).toBe(403);
  });

  it("more simultaneous calls than the choice allows are 429, and say when to try again", async () => {
    await using busy = await startPlatform({ choices: { "api.rateLimit": 2 }, faults: ["api=slow:1sx2"] });
    const { access_token } = await tokens(busy);
    const all = await Promise.all(Array.from({ length: 5 }, () => callApi(busy, access_token)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
    expect(all.find(({ status }) => status === 429)?.headers["retry-after"]).toBe("1");
    expect((await callApi(busy, access_token)).status).toBe(200);
  });

  it("one app learns nothing about the token of another", async () => {
    const secrets = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    expect((await manage(sim, "introspect", token, secrets)).body).toBe('{"active":false}');
    expect(JSON.parse((await manage(sim, "introspect", token)).body)).toMatchObject({ active: true, sub: "104" });
  });
});
